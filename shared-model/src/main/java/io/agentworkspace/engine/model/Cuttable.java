package io.agentworkspace.engine.model;

/** A record with a text that may be long, and that is cut where an answer has no room for all of it. */
public interface Cuttable<T> {
    String longText();

    /**
     * The same record with this beginning of its text, marked as cut.
     *
     * @param length how many characters the whole text has
     */
    T cut(String head, int length);
}
