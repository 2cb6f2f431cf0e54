package io.agentworkspace.engine.identity.rules.cel;

/**
 * The text that the expressions of one command or document may still examine, in characters. A search counts
 * each character more than once. The budget grows with the content of a command and the text of a document. Rules
 * that could use up more are refused when they are saved, so that none fails because a text is long.
 */
public final class EvaluationBudget {
    /** The most that the rules of a command or document may examine of names, descriptions and other limited texts. */
    public static final long FIXED = 10_000_000;

    /** The most that they may examine for each character of its content or text. */
    public static final long EACH = 250;

    /** Rules that cost little are saved without adding up all others, so there is some more. */
    private static final long BASE = 2 * FIXED;

    static final ScopedValue<EvaluationBudget> CURRENT = ScopedValue.newInstance();

    private final long all;
    private long left;

    private EvaluationBudget(long all) {
        this.all = all;
        this.left = all;
    }

    /** Returns the budget of all rules together for this request or document. */
    public static EvaluationBudget of(ExpressionInput input) {
        var text = input.document().get("text") instanceof String content ? content.length() : 0;
        return new EvaluationBudget(BASE + EACH * (input.content().length() + text));
    }

    /** Returns how much of it was used. */
    long used() {
        return all - left;
    }

    static void charge(long characters) {
        if (CURRENT.isBound()) {
            CURRENT.get().take(characters);
        }
    }

    private void take(long characters) {
        left -= characters;
        if (left < 0) {
            throw new IllegalStateException(
                    "the rules together examine more text than they may, %,d characters, where a pattern counts each character several times: use fewer rules, or shorter patterns and lists of words"
                            .formatted(all));
        }
    }
}
