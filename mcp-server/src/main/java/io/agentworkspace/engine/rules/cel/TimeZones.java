package io.agentworkspace.engine.rules.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The time zones that an expression names, as in {@code now.getHours("Europe/Berlin")}. */
public final class TimeZones {
    private static final Set<String> TAKE_A_ZONE = Set.of(
            "getFullYear",
            "getMonth",
            "getDate",
            "getDayOfMonth",
            "getDayOfWeek",
            "getDayOfYear",
            "getHours",
            "getMinutes",
            "getSeconds",
            "getMilliseconds");

    /** CEL's second form: a difference from UTC, such as {@code 02:00} and {@code -5:30}. */
    private static final Pattern OFFSET = Pattern.compile("[+-]?(0?\\d|1[0-8]):[0-5]\\d");

    private final CelAbstractSyntaxTree ast;

    TimeZones(CelAbstractSyntaxTree ast) {
        this.ast = ast;
    }

    /** Returns what is wrong with the name of a zone; empty if it is one. */
    public static Optional<String> broken(String zone) {
        if (OFFSET.matcher(zone).matches()) {
            return Optional.empty();
        }
        try {
            ZoneId.of(zone);
            return Optional.empty();
        } catch (DateTimeException unknown) {
            var near = Near.nearest(zone, ZoneId.getAvailableZoneIds(), 1);
            return Optional.of("there is no time zone '%s'; %s"
                    .formatted(
                            Name.shortened(zone),
                            near.isEmpty()
                                    ? "use one such as Europe/Berlin, UTC or +02:00"
                                    : "did you mean '%s'?".formatted(near.getFirst())));
        }
    }

    void check() throws ExpressionError {
        check(ast.getExpr());
    }

    private void check(CelExpr expression) throws ExpressionError {
        switch (expression.getKind()) {
            case CALL -> {
                var call = expression.call();
                if (TAKE_A_ZONE.contains(call.function())) {
                    checkZones(call.args());
                }
                if (call.target().isPresent()) {
                    check(call.target().get());
                }
                checkAll(call.args());
            }
            case SELECT -> check(expression.select().operand());
            case LIST -> checkAll(expression.list().elements());
            case COMPREHENSION -> {
                var loop = expression.comprehension();
                checkAll(List.of(
                        loop.iterRange(), loop.accuInit(), loop.loopCondition(), loop.loopStep(), loop.result()));
            }
            case MAP -> {
                for (var entry : expression.map().entries()) {
                    check(entry.key());
                    check(entry.value());
                }
            }
            case STRUCT, CONSTANT, IDENT, NOT_SET -> {}
        }
    }

    private void checkAll(Iterable<CelExpr> expressions) throws ExpressionError {
        for (var expression : expressions) {
            check(expression);
        }
    }

    /** Checks zones that are written out, also as the branches of a condition. */
    private void checkZones(Iterable<CelExpr> zones) throws ExpressionError {
        for (var zone : zones) {
            if (zone.getKind() == Kind.CONSTANT && zone.constant().getKind() == CelConstant.Kind.STRING_VALUE) {
                var wrong = broken(zone.constant().stringValue());
                if (wrong.isPresent()) {
                    throw ExpressionLimits.error(ast, zone, wrong.get());
                }
            } else if (zone.getKind() == Kind.CALL && isCondition(zone.call())) {
                checkZones(zone.call().args().subList(1, 3));
            }
        }
    }

    private static boolean isCondition(CelCall call) {
        return call.function().equals("_?_:_");
    }
}
