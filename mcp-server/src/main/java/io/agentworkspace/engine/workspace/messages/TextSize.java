package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.tool.Envelope;

/** SQL that counts the bytes of texts in a response: the counterpart of {@code Budget}. */
public final class TextSize {
    private static final int SHORT = 250;

    /** The part of a message {@code m}'s text that the response to a write shows. */
    static final String CUT = SqlTemplate.of("left(m.content, {length})")
            .with("length", Envelope.CUT)
            .sql();

    /** The maximum bytes of a message {@code m}: its text, four names, two ids, and those in its chain. */
    static final String MESSAGE = message("m.content");

    /** The maximum bytes of a message with its text cut. */
    static final String CUT_MESSAGE = message(CUT);

    private TextSize() {}

    /** Returns the bytes of a text, or null. For a short text this is an upper bound, which costs nothing to compute. */
    public static String of(String text) {
        return SqlTemplate.of("""
                COALESCE(CASE WHEN octet_length({text}) <= {short} THEN octet_length({text}) * CASE WHEN :twice THEN 13 ELSE 6 END + 10
                              ELSE octet_length(to_json({text})::text)
                                   + CASE WHEN :twice THEN octet_length(to_json(to_json({text})::text)::text) ELSE 0 END END, 0)
                """).with("text", text).with("short", SHORT).sql();
    }

    private static String message(String text) {
        return SqlTemplate.of("({size} + (CASE WHEN :twice THEN 2 ELSE 1 END) * (1500 + 260 * cardinality(m.chain)))")
                .with("size", of(text))
                .sql();
    }

    /**
     * Returns the CTEs {@code weighed} and {@code shown}: the newest of the messages {@code latest}, at most :limit and
     * as many as fit, but at least one.
     *
     * @param beside the bytes of what surrounds them in the response
     */
    public static String newest(String order, String beside) {
        return SqlTemplate.of("""
                weighed AS (
                    SELECT m.*, row_number() OVER newest AS place, sum({size}) OVER newest AS weight
                      FROM latest m
                    WINDOW newest AS (ORDER BY {order})),
                page AS (
                    SELECT * FROM weighed
                     WHERE place <= :limit AND (place = 1 OR weight <= :room - COALESCE(({beside}), 0)))
                """)
                .with("size", MESSAGE)
                .with("order", order)
                .with("beside", beside)
                .sql();
    }

    /** Whether there are more messages than are shown. */
    public static final String MORE = "(SELECT count(*) FROM latest) > (SELECT count(*) FROM page) AS more";
}
