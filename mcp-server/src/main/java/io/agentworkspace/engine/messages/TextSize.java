package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.model.tool.Envelope;

/** SQL that counts the bytes of texts in a response: the counterpart of {@code Budget}. */
public final class TextSize {
    private static final int SHORT = 250;

    /** The part of a message {@code m}'s text that the response to a write shows. */
    static final String CUT = "left(m.content, %d)".formatted(Envelope.CUT);

    /** The maximum bytes of a message {@code m}: its text, four names, two ids, and those in its chain. */
    static final String MESSAGE = message("m.content");

    /** The maximum bytes of a message with its text cut. */
    static final String CUT_MESSAGE = message(CUT);

    private TextSize() {}

    /** Returns the bytes of a text, or null. For a short text this is an upper bound, which costs nothing to compute. */
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
     * Returns the CTEs {@code weighed} and {@code shown}: the newest of the messages {@code latest}, at most :limit and
     * as many as fit, but at least one.
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
