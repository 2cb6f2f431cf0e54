package io.agentworkspace.engine.model.text;

/** A record with a text that may be long, and is cut if a response has no room for all of it. */
public interface Cuttable<T> {
    String longText();

    /**
     * The same record with this beginning of its text, marked as cut.
     *
     * @param length the number of characters of the whole text
     */
    T cut(String head, int length);
}
