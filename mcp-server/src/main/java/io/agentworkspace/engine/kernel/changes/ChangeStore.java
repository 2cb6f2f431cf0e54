package io.agentworkspace.engine.kernel.changes;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.change.ChangeTopic;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes the log of changes. Replicas receive what is written as {@link io.agentworkspace.engine.kernel.changes.DatabaseSignals} after the
 * commit. Nothing is written in a tenant in which nobody listens.
 */
public final class ChangeStore {
    private static final String ANNOUNCE = "SELECT announce(:tenant, CAST(:changes AS jsonb))";

    /** The count comes first: it refuses what exceeds a limit. Calls close to a limit wait for each other only here. */
    private static final String COUNT_AND_ANNOUNCE = """
            SELECT count_differences(:tenant, CAST(:scopes AS text[]), CAST(:differences AS bigint[])),
                   announce(:tenant, CAST(:changes AS jsonb))
            """;

    private static final String OLD = Db.oldRows("change_log", "tenant_id, xid, ordinal", "at < :until");

    private final Db db;

    public ChangeStore(Db db) {
        this.db = db;
    }

    /** Returns the last statement of a call's transaction, which announces what the call changed, after it has counted it. */
    public Statement of(Call call) {
        var statement = counting(call)
                .counting(call.counted().keySet())
                .set("tenant", call.caller().tenant())
                .set("changes", rows(call.changes()));
        return call.isAnnounced() ? statement.announcing() : statement;
    }

    /** A call that changed no count is spared the statement that counts. */
    private Statement counting(Call call) {
        var changed = call.counted().entrySet().stream()
                .filter(count -> count.getValue() != 0)
                .toList();
        return changed.isEmpty()
                ? db.sql(ANNOUNCE)
                : db.sql(COUNT_AND_ANNOUNCE)
                        .set(
                                "scopes",
                                changed.stream()
                                        .map(count -> count.getKey().word())
                                        .toList())
                        .set(
                                "differences",
                                changed.stream().map(Map.Entry::getValue).toList());
    }

    /** Announces changes that are made in the current transaction, outside of a call. The audit's own entry says nothing of the others. */
    public void write(long tenant, Collection<Change> changes) {
        var statement = statement(tenant, changes);
        var saysWhatChanged = changes.stream().anyMatch(change -> change.topic() != ChangeTopic.AUDIT);
        (saysWhatChanged ? statement.announcing() : statement).one(_ -> true);
    }

    private Statement statement(long tenant, Collection<Change> changes) {
        return db.sql(ANNOUNCE).set("tenant", tenant).set("changes", rows(changes));
    }

    private static String rows(Collection<Change> changes) {
        return Json.text(changes.stream().distinct().map(ChangeStore::row).toList());
    }

    /** Returns the change as the database's function {@code announce} reads it. */
    private static ObjectNode row(Change change) {
        var row = Json.tree(change);
        row.remove("audience");
        row.put("topic", change.topic().word());
        if (change.audience().everyone()) {
            row.put("everyone", true);
        } else if (!change.audience().users().isEmpty()) {
            change.audience().users().forEach(row.putArray("users")::add);
        }
        return row;
    }

    /** Deletes rows that no stream can resume from any longer. */
    public void purge(Instant until) {
        db.deleteOld(OLD, until);
    }
}
