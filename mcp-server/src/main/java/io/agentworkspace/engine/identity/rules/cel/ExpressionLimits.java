package io.agentworkspace.engine.identity.rules.cel;

import com.google.re2j.PatternSyntaxException;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;

/** The limits of an expression with correct types: the steps of its evaluation, and literal patterns only. */
final class ExpressionLimits {
    /** The longest list that a variable has. */
    static final int LONGEST_LIST = 100;

    private final CelAbstractSyntaxTree ast;
    private final Functions functions;

    ExpressionLimits(CelAbstractSyntaxTree ast, Functions functions) {
        this.ast = ast;
        this.functions = functions;
    }

    void check() throws ExpressionError {
        var steps = steps(ast.getExpr());
        if (steps > Environment.MAX_STEPS) {
            throw error(
                    ast.getExpr(),
                    "it may take %,d steps; at most %,d are allowed: put fewer loops into each other, or use shorter lists"
                            .formatted(steps, Environment.MAX_STEPS));
        }
    }

    /** Returns the maximum number of nodes that an evaluation visits. */
    private long steps(CelExpr expression) throws ExpressionError {
        return switch (expression.getKind()) {
            case CALL -> ofCall(expression, expression.call());
            case SELECT -> 1 + steps(expression.select().operand());
            case LIST -> 1 + sum(expression.list().elements());
            case COMPREHENSION -> ofLoop(expression.comprehension());
            case MAP -> {
                var steps = 1L;
                for (var entry : expression.map().entries()) {
                    steps += steps(entry.key()) + steps(entry.value());
                }
                yield steps;
            }
            case STRUCT -> throw error(expression, "a rule creates no messages; compare the fields of the variables");
            case CONSTANT, IDENT, NOT_SET -> 1;
        };
    }

    private long sum(Iterable<CelExpr> expressions) throws ExpressionError {
        var steps = 0L;
        for (var expression : expressions) {
            steps += steps(expression);
        }
        return steps;
    }

    private long ofCall(CelExpr expression, CelCall call) throws ExpressionError {
        if (call.function().equals("matches")) {
            checkPattern(expression, call.args().getFirst());
        }
        return 1 + (call.target().isPresent() ? steps(call.target().get()) : 0) + sum(call.args());
    }

    private long ofLoop(CelExpr.CelComprehension loop) throws ExpressionError {
        var range = loop.iterRange();
        var times = range.getKind() == Kind.LIST
                ? range.list().elements().size()
                : range.getKind() == Kind.MAP ? range.map().entries().size() : LONGEST_LIST;
        var each = steps(loop.loopCondition()) + steps(loop.loopStep());
        return Math.min(Integer.MAX_VALUE, steps(range) + times * each + steps(loop.result()));
    }

    private void checkPattern(CelExpr expression, CelExpr pattern) throws ExpressionError {
        if (pattern.getKind() != Kind.CONSTANT || pattern.constant().getKind() != CelConstant.Kind.STRING_VALUE) {
            throw error(
                    expression,
                    "the pattern of matches() must be written out, such as vx.name.matches('^[a-z]+$'); for other texts use contains()");
        }
        var size = PatternSize.of(pattern.constant().stringValue());
        if (size > Environment.MAX_PATTERN) {
            throw error(
                    pattern,
                    "the pattern is too large: its repetitions, written out, have more than %,d parts"
                            .formatted(Environment.MAX_PATTERN));
        }
        try {
            functions.checkPattern(pattern.constant().stringValue());
        } catch (PatternSyntaxException e) {
            throw error(
                    pattern,
                    "the pattern is not one of RE2: %s; RE2 has no look-around and no back-references"
                            .formatted(e.getMessage()));
        }
    }

    private ExpressionError error(CelExpr at, String message) {
        return error(ast, at, message);
    }

    /** Returns the refusal of a part of an expression. */
    static ExpressionError error(CelAbstractSyntaxTree ast, CelExpr at, String message) {
        var source = ast.getSource();
        var location = java.util.Optional.ofNullable(source.getPositionsMap().get(at.id()))
                .flatMap(source::getOffsetLocation);
        return new ExpressionError(
                location.map(place -> place.getLine()).orElse(1),
                location.map(place -> place.getColumn() + 1).orElse(1),
                message);
    }
}
