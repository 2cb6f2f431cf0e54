package io.agentworkspace.engine.store;

import io.agentworkspace.engine.model.Envelope;

/** SQL that counts how many bytes texts take in the call's answer: {@code Budget} in the words of the database. */
final class Weight {
    /** What an answer to a write shows of the text of a message {@code m}. */
    static final String CUT = "left(m.content, %d)".formatted(Envelope.CUT);

    /** What a message {@code m} takes at most: its text, and beside it four names, two ids, and those in its chain. */
    static final String MESSAGE = message("m.content");

    /** The same where the text is cut. */
    static final String CUT_MESSAGE = message(CUT);

    private Weight() {}

    /** What a text, or null, takes. */
    static String of(String text) {
        return """
                COALESCE(octet_length(to_json(%1$s)::text)
                         + CASE WHEN :twice THEN octet_length(to_json(to_json(%1$s)::text)::text) ELSE 0 END, 0)
                """.formatted(text);
    }

    private static String message(String text) {
        return "(%s + (CASE WHEN :twice THEN 2 ELSE 1 END) * (1500 + 260 * cardinality(m.chain)))".formatted(of(text));
    }

    /**
     * CTEs {@code weighed} and {@code shown}: of the messages {@code latest} the newest, at most :limit and as many as there is
     * room for, one at least.
     *
     * @param beside what stands beside them in the answer, in bytes
     */
    static String newest(String order, String beside) {
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
    static final String MORE = "(SELECT count(*) FROM latest) > (SELECT count(*) FROM shown) AS more";
}
