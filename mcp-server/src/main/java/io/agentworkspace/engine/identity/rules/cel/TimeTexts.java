package io.agentworkspace.engine.identity.rules.cel;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelRuntime;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The texts about time in an expression: zones, as in {@code now.getHours("Europe/Berlin")}, and what {@code timestamp}
 * and {@code duration} read.
 */
public final class TimeTexts {
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

    /** The functions that read a text, with what they take. */
    private static final Map<String, String> READERS =
            Map.of("timestamp", "a time such as 2026-05-25T12:00:00Z", "duration", "a duration such as 90s or 1h30m");

    private final CelAbstractSyntaxTree ast;
    private final CelRuntime runtime;

    /** @param runtime reads the texts, as it does when a rule is evaluated */
    TimeTexts(CelAbstractSyntaxTree ast, CelRuntime runtime) {
        this.ast = ast;
        this.runtime = runtime;
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
                } else if (READERS.containsKey(call.function())) {
                    checkRead(expression, call);
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

    private void checkRead(CelExpr expression, CelCall call) throws ExpressionError {
        var arg = call.args().getFirst();
        if (!isText(arg)) {
            return;
        }
        try {
            runtime.createProgram(CelAbstractSyntaxTree.newParsedAst(expression, ast.getSource()))
                    .eval();
        } catch (CelEvaluationException unreadable) {
            throw ExpressionLimits.error(
                    ast,
                    arg,
                    "'%s' is not what %s takes: %s"
                            .formatted(
                                    Name.shortened(arg.constant().stringValue()),
                                    call.function(),
                                    READERS.get(call.function())));
        }
    }

    private static boolean isText(CelExpr expression) {
        return expression.getKind() == Kind.CONSTANT
                && expression.constant().getKind() == CelConstant.Kind.STRING_VALUE;
    }

    /** Checks zones that are written out, also as the branches of a condition. */
    private void checkZones(Iterable<CelExpr> zones) throws ExpressionError {
        for (var zone : zones) {
            if (isText(zone)) {
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
