package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.model.tool.Envelope;

/** SQL that counts how many bytes texts take in the call's response: the counterpart of {@code Budget}. */
public final class TextSize {
    private static final int SHORT = 250;

    /** The part of the text of a message {@code m} that a response to a write shows. */
    static final String CUT = "left(m.content, %d)".formatted(Envelope.CUT);

    /** The maximum bytes of a message {@code m}: its text, four names, two ids, and those in its chain. */
    static final String MESSAGE = message("m.content");

    /** The same, with the text cut. */
    static final String CUT_MESSAGE = message(CUT);

    private TextSize() {}

    /** The bytes of a text, or null; of a short one the most that they can be, which costs nothing to find out. */
    public static String of(String text) {
        return """
                COALESCE(CASE WHEN octet_length(%1$s) <= %2$d THEN octet_length(%1$s) * CASE WHEN :twice THEN 13 ELSE 6 END + 10
                              ELSE octet_length(to_json(%1$s)::text)
                                   + CASE WHEN :twice THEN octet_length(to_json(to_json(%1$s)::text)::text) ELSE 0 END END, 0)
                """.formatted(text, SHORT);
    }

    private static String message(String text) {
        return "(%s + (CASE WHEN :twice THEN 2 ELSE 1 END) * (1500 + 260 * cardinality(m.chain)))".formatted(of(text));
    }

    /**
     * CTEs {@code weighed} and {@code shown}: the newest of the messages {@code latest}, at most :limit and as many as
     * fit, but at least one.
     *
     * @param beside the bytes of what surrounds them in the response
     */
    public static String newest(String order, String beside) {
        return """
                weighed AS (
                    SELECT m.*, row_number() OVER newest AS place, sum(%s) OVER newest AS weight
                      FROM latest m
                    WINDOW newest AS (ORDER BY %s)),
                shown AS (
                    SELECT * FROM weighed
                     WHERE place <= :limit AND (place = 1 OR weight <= :room - COALESCE((%s), 0)))
                """.formatted(MESSAGE, order, beside);
    }

    /** Whether there are more messages than are shown. */
    public static final String MORE = "(SELECT count(*) FROM latest) > (SELECT count(*) FROM shown) AS more";
}
