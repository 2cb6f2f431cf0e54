package io.agentworkspace.engine.workspace.tasks;

import io.agentworkspace.engine.kernel.db.SqlTemplate;
import org.jspecify.annotations.Nullable;

/** The record of a task {@code t} in a domain {@code d}. A lease ends by the clock of the database. */
final class TaskRow {
    /** Whether somebody holds the task. */
    static final String IN_FORCE = "(t.holder_id IS NOT NULL AND t.lease_until > statement_timestamp())";

    /** Whether nobody holds it any longer, though it is not yet freed. */
    static final String EXPIRED = "(t.state = 'doing' AND t.lease_until <= statement_timestamp())";

    /** Whether it is one of those that nobody holds any longer. An index has them, up to when the statement began. */
    static String expiredIn(String domain) {
        return SqlTemplate.of("""
                {expired} AND t.id = ANY(ARRAY(SELECT x.id
                                                 FROM task x
                                                WHERE x.tenant_id = :tenant AND x.domain_id = {domain}
                                                  AND x.holder_id IS NOT NULL AND x.lease_until <= statement_timestamp()))""")
                .with("expired", EXPIRED)
                .with("domain", domain)
                .sql();
    }

    /** Whether it can be claimed. */
    static final String READY = SqlTemplate.of("(t.unmet = 0 AND (t.state = 'open' OR {expired}))")
            .with("expired", EXPIRED)
            .sql();

    /** Whether the claiming party {@code :me} may have it. */
    static final String MINE_OR_NOBODYS = "(t.assignee_id IS NULL OR t.assignee_id = :me)";

    /** The record as JSON. */
    static final String RECORD = SqlTemplate.of("""
            jsonb_build_object(
                'id', t.id, 'domain', d.name, 'title', t.title, 'description', t.description,
                'state', CASE WHEN {expired} THEN 'open' ELSE t.state END,
                'assignee', {assignee}, 'holder', CASE WHEN {in_force} THEN {holder} END,
                'lease_until', CASE WHEN {in_force} THEN t.lease_until END, 'fence', t.fence,
                'after', ARRAY(SELECT o.after_id FROM task_order o
                                WHERE o.tenant_id = :tenant AND o.task_id = t.id ORDER BY o.place),
                'ready', {ready}, 'result', t.result, 'tags', t.tags, 'created_by', {creator},
                'created_at', t.created_at, 'updated_at', t.updated_at, 'revision', t.revision)
            """)
            .with("expired", EXPIRED)
            .with("in_force", IN_FORCE)
            .with("ready", READY)
            .with("assignee", party("t.assignee_id"))
            .with("holder", party("t.holder_id"))
            .with("creator", party("t.creator_id"))
            .sql();

    private TaskRow() {}

    /** Returns the name of a party by its number. */
    static String party(String number) {
        return SqlTemplate.of("(SELECT x.name FROM party x WHERE x.tenant_id = :tenant AND x.id = {number})")
                .with("number", number)
                .sql();
    }

    /**
     * A task as a statement of the current transaction has left or locked it.
     *
     * @param holder the party that holds it, also beyond its lease
     */
    record StoredTask(
            Task task,
            long domain,
            @Nullable Long assignee,
            @Nullable Long holder) {
        /** Its name if the lease has not ended. */
        @Nullable
        String heldBy() {
            return task.holder();
        }
    }

    /** The columns of a {@link StoredTask}. */
    static final String COLUMNS = SqlTemplate.of("{record} AS task, t.domain_id, t.assignee_id, t.holder_id")
            .with("record", RECORD)
            .sql();
}
