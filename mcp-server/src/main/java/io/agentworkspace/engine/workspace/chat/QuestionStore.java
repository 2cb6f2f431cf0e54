package io.agentworkspace.engine.workspace.chat;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.agent.Question;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.domains.ZoneEntry;
import io.agentworkspace.engine.workspace.messages.QuestionRow;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Questions that messages ask. Of concurrent answers, the first one is stored. */
final class QuestionStore {
    private static final String INSERT =
            SqlTemplate.of("""
            WITH q AS (INSERT INTO question AS asked (tenant_id, id, asker_id, to_id, choices, expires_at, created_at)
                       SELECT m.tenant_id, m.id, m.speaker_id,
                              CASE WHEN s.low_id = m.speaker_id THEN s.high_id ELSE s.low_id END, CAST(:choices AS text[]),
                              CAST(:now AS timestamptz) + CAST(CAST(:lasts AS text) AS interval), :now
                         FROM message m
                         JOIN conversation s ON s.tenant_id = :tenant AND s.id = m.conversation_id
                        WHERE m.tenant_id = :tenant AND m.id = :id
                       RETURNING asked.*)
            SELECT {record} AS record FROM q
            """).with("record", QuestionRow.RECORD).sql();

    private static final String READ =
            SqlTemplate.of("""
            SELECT {record} AS record, q.asker_id, m.created_at
              FROM question q JOIN message m ON m.tenant_id = :tenant AND m.id = q.id
             WHERE q.tenant_id = :tenant AND q.id = :id
            """).with("record", QuestionRow.RECORD).sql();

    private static final String OPEN =
            "q.answered_at IS NULL AND q.withdrawn_at IS NULL AND (q.expires_at IS NULL OR q.expires_at > statement_timestamp())";

    private static final String ANSWER = change("answer = :answer, answered_by = :me, answered_at = :now", "true", "");

    /** An agent elsewhere is told at once. */
    private static final String WITHDRAW = change("withdrawn_at = :now", "q.asker_id = :me", """
            , told AS (UPDATE remote_message r
                          SET due_at = :now
                         FROM q JOIN message m ON m.tenant_id = :tenant AND m.id = q.id
                        WHERE r.tenant_id = :tenant AND r.conversation_id = m.conversation_id
                          AND COALESCE(r.root_id, r.message_id) = q.id AND r.due_at > :now AND r.claim IS NULL)
            """);

    private static String change(String values, String condition, String more) {
        return SqlTemplate.of("""
                WITH q AS (UPDATE question q SET {values} WHERE q.tenant_id = :tenant AND q.id = :id AND {open} AND {condition}
                           RETURNING *){more}
                SELECT {record} AS record FROM q
                """)
                .with("values", values)
                .with("open", OPEN)
                .with("condition", condition)
                .with("more", more)
                .with("record", QuestionRow.RECORD)
                .sql();
    }

    /** The domain in whose zone the question was asked, if the acting user may see it. */
    private static final String DOMAIN =
            SqlTemplate.of("""
            SELECT d.name
              FROM question q
              JOIN message m ON m.tenant_id = :tenant AND m.id = q.id
              JOIN zone z ON z.tenant_id = :tenant AND z.conversation_id = m.conversation_id
              JOIN domain d ON d.tenant_id = :tenant AND d.id = z.domain_id
             WHERE q.tenant_id = :tenant AND q.id = :id AND {visible_domain}
            """).with("visible_domain", Visibility.domain("d")).sql();

    private final Db db;

    QuestionStore(Db db) {
        this.db = db;
    }

    /** A question, and who asked it. */
    record AskedQuestion(Question question, long asker, Instant at) {}

    /** Stores what a message that the call has sent asks. */
    Question insert(Call call, UUID message, List<String> choices, @Nullable Integer expiresSeconds) {
        return db.sql(call, INSERT)
                .set("id", message)
                .set("choices", choices)
                .set("lasts", expiresSeconds == null ? null : expiresSeconds + " seconds")
                .one(row -> Objects.requireNonNull(row.json("record", Question.class)))
                .orElseThrow();
    }

    Optional<AskedQuestion> find(Call call, UUID id) {
        return db.sql(call, READ)
                .set("id", id)
                .one(row -> new AskedQuestion(
                        Objects.requireNonNull(row.json("record", Question.class)),
                        row.number("asker_id"),
                        Objects.requireNonNull(row.instantOrNull("created_at"))));
    }

    /** Returns why the speaker does not hear the question. */
    Problem unheard(Call call, UUID id) {
        return db.sql(call, DOMAIN)
                .set("id", id)
                .one(row -> Problem.conflict(ZoneEntry.notMember(call, row.text("name"))))
                .orElseGet(() -> Problem.notFound("question", id.toString(), List.of()));
    }

    /** Stores the answer; empty if the question is no longer open. */
    Optional<Question> answer(Call call, UUID id, String answer) {
        return db.sql(call, ANSWER)
                .set("id", id)
                .set("me", me(call))
                .set("answer", answer)
                .one(row -> Objects.requireNonNull(row.json("record", Question.class)));
    }

    /** Withdraws a question of the speaker; empty if it is no longer open. */
    Optional<Question> withdraw(Call call, UUID id) {
        return db.sql(call, WITHDRAW)
                .set("id", id)
                .set("me", me(call))
                .one(row -> Objects.requireNonNull(row.json("record", Question.class)));
    }

    private static long me(Call call) {
        return call.context().speaker().id();
    }
}
