package io.agentworkspace.engine.identity.rules.cel;

import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelCall;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Computes the most that an evaluation can charge to the {@link EvaluationBudget}, from the expression alone: every
 * branch and each pass of a loop counts. So a rule that is too expensive for long texts is refused when it is saved, and
 * none fails later because a text is long.
 */
final class ExpressionCost {
    /** The longest name, id, tag or word of a request or document. */
    private static final long SHORT = 255;

    /** Lengths of the texts of a command that are limited, and longer than names. */
    private static final Map<String, Long> LIMITED = Map.of("name", 1_000L, "description", 2_000L, "profile", 16_000L);

    private static final long ENOUGH = Integer.MAX_VALUE;

    private final Functions functions;
    private final boolean isDocument;
    private final Map<String, Text> loops = new HashMap<>();
    private final Map<String, Long> lengths = new HashMap<>();
    private long each;
    private long fixed;

    private ExpressionCost(Functions functions, boolean isDocument) {
        this.functions = functions;
        this.isDocument = isDocument;
    }

    /** @param isDocument whether the long text is that of a document, or the content of a command */
    static Expression.Cost of(CelExpr expression, Functions functions, boolean isDocument) {
        var cost = new ExpressionCost(functions, isDocument);
        cost.add(expression, 1);
        return new Expression.Cost(cost.each, cost.fixed);
    }

    /**
     * The length of a text, or the longest one of a list.
     *
     * @param isLong whether it may be the long text
     * @param length the most that it has if it is another one
     */
    private record Text(boolean isLong, long length) {
        static final Text NONE = new Text(false, 0);

        Text or(Text other) {
            return new Text(isLong || other.isLong, Math.max(length, other.length));
        }
    }

    /** Counts the examination of a text by a function that costs this much for each of its characters. */
    private void examine(Text text, long cost, long times) {
        if (text.isLong()) {
            each = sum(each, product(cost, times));
        }
        fixed = sum(fixed, product(product(text.length() + 1, cost), times));
    }

    private static long sum(long one, long other) {
        return Math.min(ENOUGH, one + other);
    }

    private static long product(long one, long other) {
        return Math.min(ENOUGH, Math.min(ENOUGH, one) * Math.min(ENOUGH, other));
    }

    private void add(CelExpr expression, long times) {
        switch (expression.getKind()) {
            case CALL -> addCall(expression.call(), times);
            case SELECT -> {
                var select = expression.select();
                add(select.operand(), times);
                if (!select.testOnly()
                        && select.operand().getKind() == Kind.IDENT
                        && select.operand().ident().name().equals("document")) {
                    examine(text(expression), 1, times);
                }
            }
            case LIST -> expression.list().elements().forEach(element -> add(element, times));
            case MAP ->
                expression.map().entries().forEach(entry -> {
                    add(entry.key(), times);
                    add(entry.value(), times);
                });
            case COMPREHENSION -> addLoop(expression.comprehension(), times);
            case STRUCT, CONSTANT, IDENT, NOT_SET -> {}
        }
    }

    private void addLoop(CelExpr.CelComprehension loop, long times) {
        add(loop.iterRange(), times);
        loops.put(loop.iterVar(), text(loop.iterRange()));
        lengths.put(loop.iterVar(), items(loop.iterRange()));
        var inside = product(times, items(loop.iterRange()));
        add(loop.loopCondition(), inside);
        add(loop.loopStep(), inside);
        add(loop.result(), times);
    }

    private void addCall(CelCall call, long times) {
        call.target().ifPresent(target -> add(target, times));
        call.args().forEach(argument -> add(argument, times));
        var of = call.target().map(this::text).orElse(Text.NONE);
        switch (call.function()) {
            case "contains" -> search(of, text(call.args().getFirst()), times);
            case "matches" -> {
                var pattern = call.args().getFirst();
                var isLiteral = pattern.getKind() == Kind.CONSTANT
                        && pattern.constant().getKind() == CelConstant.Kind.STRING_VALUE;
                examine(of, isLiteral ? functions.cost(pattern.constant().stringValue()) : ENOUGH, times);
            }
            case "mentions" -> {
                examine(of, 1, times);
                mention(of, call.args().getFirst(), times);
            }
            case "lower" -> examine(of, 1, times);
            case "hasSecret" -> examine(text(call.args().getFirst()), Functions.SECRET_COST, times);
            case "sameName" -> call.args().forEach(name -> examine(text(name), 1, times));
            default -> {}
        }
    }

    private void mention(Text in, CelExpr words, long times) {
        if (words.getKind() == Kind.LIST) {
            words.list().elements().forEach(word -> mention(in, text(word), times));
        } else {
            mention(in, text(words), product(times, items(words)));
        }
    }

    private void mention(Text in, Text word, long times) {
        examine(word, 1, times);
        search(in, word, times);
    }

    /** A search for a text that is as long as the other one may cost its square. */
    private void search(Text in, Text part, long times) {
        examine(in, in.isLong() && part.isLong() ? ENOUGH : 1 + (part.length() + 15) / 16, times);
        if (part.isLong()) {
            each = sum(each, product(1 + in.length() / 16, times));
        }
    }

    private Text text(CelExpr expression) {
        return switch (expression.getKind()) {
            case CONSTANT ->
                expression.constant().getKind() == CelConstant.Kind.STRING_VALUE
                        ? new Text(false, expression.constant().stringValue().length())
                        : Text.NONE;
            case IDENT -> ofVariable(expression.ident().name());
            case SELECT -> ofField(expression.select());
            case CALL -> ofCall(expression.call());
            case LIST -> longest(expression.list().elements());
            case MAP ->
                longest(expression.map().entries().stream()
                        .flatMap(entry -> java.util.stream.Stream.of(entry.key(), entry.value()))
                        .toList());
            case COMPREHENSION, STRUCT, NOT_SET -> Text.NONE;
        };
    }

    private Text longest(List<CelExpr> expressions) {
        return expressions.stream().map(this::text).reduce(Text.NONE, Text::or);
    }

    private Text ofVariable(String name) {
        return name.equals("content") ? new Text(!isDocument, 0) : loops.getOrDefault(name, Text.NONE);
    }

    private Text ofField(CelExpr.CelSelect select) {
        var variable = select.operand().getKind() == Kind.IDENT
                ? select.operand().ident().name()
                : "";
        if (variable.equals("document") && select.field().equals("text")) {
            return new Text(isDocument, 0);
        }
        var limited = new Text(false, variable.equals("vx") ? LIMITED.getOrDefault(select.field(), SHORT) : SHORT);
        return limited.or(text(select.operand())); // A map of the expression itself may have the long text.
    }

    /** A text that a function returns is one of those that it is given. */
    private Text ofCall(CelCall call) {
        return switch (call.function()) {
            case "lower" -> call.target().map(this::text).orElse(Text.NONE);
            case "_?_:_" -> longest(call.args().subList(1, 3));
            case "_[_]" -> text(call.args().getFirst());
            default -> Text.NONE;
        };
    }

    /** Returns the most items that a list has. */
    private long items(CelExpr list) {
        return switch (list.getKind()) {
            case LIST ->
                list.list().elements().stream()
                        .mapToLong(element -> element.getKind() == Kind.LIST ? items(element) : 0)
                        .reduce(list.list().elements().size(), Math::max);
            case MAP -> Math.max(list.map().entries().size(), ExpressionLimits.LONGEST_LIST);
            case IDENT -> lengths.getOrDefault(list.ident().name(), (long) ExpressionLimits.LONGEST_LIST);
            case CALL ->
                list.call().args().stream().mapToLong(this::items).reduce(ExpressionLimits.LONGEST_LIST, Math::max);
            case SELECT, CONSTANT, COMPREHENSION, STRUCT, NOT_SET -> ExpressionLimits.LONGEST_LIST;
        };
    }
}
