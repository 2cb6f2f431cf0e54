package io.agentworkspace.engine.rules.cel;

/**
 * The text that the expressions of one command or document may still examine, in characters. A search counts
 * each character more than once. The budget grows with the text of a document, so that whether its rules can be
 * evaluated does not depend on its length.
 */
public final class EvaluationBudget {
    /** Enough for several patterns over a content of 64,000 characters; some tens of milliseconds. */
    private static final long BASE = 10_000_000;

    /** For each character of a document's text: as much as a content of 64,000 characters has. */
    private static final long EACH = 160;

    static final ScopedValue<EvaluationBudget> CURRENT = ScopedValue.newInstance();

    private final long all;
    private long left;

    private EvaluationBudget(long all) {
        this.all = all;
        this.left = all;
    }

    /** Returns the budget of all rules together for this request or document. */
    public static EvaluationBudget of(ExpressionInput input) {
        return new EvaluationBudget(
                BASE + (input.document().get("text") instanceof String text ? EACH * text.length() : 0));
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
                    "the rules together examine more text than they may, %,d characters, where a pattern counts each character several times: use fewer rules, or shorter patterns that begin with ^"
                            .formatted(all));
        }
    }
}
