package io.agentworkspace.engine.model.text;

/** A record with a text that may be long, and that is cut if the response has no room for all of it. */
public interface Cuttable<T> {
    String longText();

    /**
     * Returns the same record with this beginning of its text, marked as cut.
     *
     * @param length the number of characters of the whole text
     */
    T cut(String head, int length);
}
