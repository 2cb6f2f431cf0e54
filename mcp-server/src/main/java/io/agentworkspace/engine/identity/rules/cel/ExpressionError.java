package io.agentworkspace.engine.identity.rules.cel;

/** The refusal of an expression, with the line and column, counted from 1, and the correction. */
public final class ExpressionError extends Exception {
    private final int line;
    private final int column;

    ExpressionError(int line, int column, String message) {
        super(message, null, false, false);
        this.line = line;
        this.column = column;
    }

    public int line() {
        return line;
    }

    public int column() {
        return column;
    }

    /** Returns the text for a note: {@code line 1, column 4: …}. */
    public String located() {
        return "line %d, column %d: %s".formatted(line, column, getMessage());
    }
}
