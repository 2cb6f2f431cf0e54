package io.agentworkspace.engine.rules.cel;

/** How much text the expressions of one command may still look at, in characters; searches count more than once. */
public final class EvaluationBudget {
    /** Enough for several patterns over a content of 64,000 characters; some tens of milliseconds. */
    private static final long ALL = 10_000_000;

    static final ScopedValue<EvaluationBudget> CURRENT = ScopedValue.newInstance();

    private long left = ALL;

    static void charge(long characters) {
        if (CURRENT.isBound()) {
            CURRENT.get().take(characters);
        }
    }

    private void take(long characters) {
        left -= characters;
        if (left < 0) {
            throw new IllegalStateException("it looks at too much text");
        }
    }
}
