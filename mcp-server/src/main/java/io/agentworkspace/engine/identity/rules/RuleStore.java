package io.agentworkspace.engine.identity.rules;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlFailure;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.db.Statement;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** Writes rules, and reads those to apply. */
final class RuleStore {
    /** The maximum number of rules of a tenant. */
    static final int MOST = 100;

    private static final String INSERT =
            SqlTemplate.of("""
            WITH r AS (
            INSERT INTO rule (tenant_id, id, name, name_key, description, applies_to, expression, template, parameters,
                                   effect, message, enabled, priority, mode, examples, created_at, updated_at, counted_since)
            SELECT t.tenant_id, :id, :name, :name_key, :description, CAST(:applies_to AS text[]), :when, :template,
                   CAST(:parameters AS json), :effect, :message, :enabled, :priority, :mode, CAST(:examples AS json),
                   :now, :now, :now
              FROM tenant_plan t
             WHERE t.tenant_id = :tenant AND (SELECT count(*) FROM rule WHERE tenant_id = :tenant) < :most
            RETURNING *)
            SELECT {rule_json} AS record FROM r
            """).with("rule_json", RuleRow.JSON).sql();

    /** The counts are reset if the rule's effect changes. */
    private static final String UPDATE =
            SqlTemplate.of("""
            WITH r AS (
                UPDATE rule r
                   SET name = :name, name_key = :name_key, description = :description,
                       applies_to = CAST(:applies_to AS text[]), expression = :when, template = :template,
                       parameters = CAST(:parameters AS json), effect = :effect, message = :message, enabled = :enabled,
                       priority = :priority, mode = :mode, examples = CAST(:examples AS json),
                       revision = r.revision + 1, updated_at = :now,
                       counted_since = CASE WHEN :anew THEN :now ELSE r.counted_since END,
                       matched = CASE WHEN :anew THEN 0 ELSE r.matched END,
                       matched_at = CASE WHEN NOT :anew THEN r.matched_at END,
                       failed = CASE WHEN :anew THEN 0 ELSE r.failed END,
                       failed_at = CASE WHEN NOT :anew THEN r.failed_at END,
                       failure = CASE WHEN NOT :anew THEN r.failure END
                 WHERE r.tenant_id = :tenant AND r.id = :id
                RETURNING r.*)
            SELECT {rule_json} AS record FROM r
            """).with("rule_json", RuleRow.JSON).sql();

    private static final String LOCK =
            SqlTemplate.of("""
            SELECT {rule_json} AS record
              FROM rule r
             WHERE r.tenant_id = :tenant AND r.id = :id
               FOR UPDATE
            """).with("rule_json", RuleRow.JSON).sql();

    private final Db db;

    RuleStore(Db db) {
        this.db = db;
    }

    /** Returns the tenants that have enabled rules. */
    Set<Long> tenants() {
        return new HashSet<>(
                db.sql("SELECT DISTINCT tenant_id FROM rule WHERE enabled").list(row -> row.number(1)));
    }

    /** Returns the enabled rules of a tenant, in the order of their application. */
    RuleSet active(long tenant) {
        return new RuleSet(db.sql("""
                SELECT r.id, r.name, r.applies_to, r.expression, r.effect, r.mode, r.message
                  FROM rule r
                 WHERE r.tenant_id = :tenant AND r.enabled
                 ORDER BY r.priority DESC, r.name_key
                """).set("tenant", tenant).list(row -> row.as(ActiveRule.class)));
    }

    /** Returns the name of the document with this id. A text that is the id of no document is returned as it is. */
    String documentName(Call call, String text) {
        return RuleQueries.id(text)
                .flatMap(id -> db.sql(call, "SELECT d.name FROM document d WHERE d.tenant_id = :tenant AND d.id = :id")
                        .set("id", id)
                        .one(row -> row.text("name")))
                .orElse(text);
    }

    /** Adds to the counts of rules. Those of deleted rules are dropped. */
    void count(long tenant, Map<RuleCounts.RuleKey, RuleCounts.RuleCount> counts) {
        var rows = counts.entrySet().stream()
                .map(entry -> {
                    var row = Json.tree(entry.getValue());
                    return row.put("id", entry.getKey().rule().toString());
                })
                .toList();
        db.sql("""
                UPDATE rule r
                   SET matched = r.matched + c.matched, matched_at = COALESCE(c.matched_at, r.matched_at),
                       failed = r.failed + c.failed, failed_at = COALESCE(c.failed_at, r.failed_at),
                       failure = COALESCE(c.failure, r.failure)
                  FROM jsonb_populate_recordset(CAST(NULL AS rule), CAST(:rows AS jsonb)) c
                 WHERE r.tenant_id = :tenant AND r.id = c.id
                """).set("tenant", tenant).set("rows", Json.text(rows)).run();
    }

    /** Others that lock them wait until the transaction ends. */
    void lockAll(Call call) {
        db.sql(call, "SELECT pg_advisory_xact_lock(hashtextextended('rules', :tenant))")
                .one(_ -> true);
    }

    /** @throws Problem {@code already_exists}, or {@code conflict} if the tenant has the maximum number of rules */
    Rule insert(Call call, RuleDraft draft) {
        // Two that are created at the same time are counted one after the other.
        lockAll(call);
        try {
            return bound(call, INSERT, UUID.randomUUID(), draft)
                    .set("most", MOST)
                    .one(row -> Objects.requireNonNull(row.json("record", Rule.class)))
                    .orElseThrow(() -> Problem.conflict(
                            "your tenant has %d rules, which is the limit: delete one with RL_Delete".formatted(MOST)));
        } catch (SqlFailure e) {
            throw taken(e, draft);
        }
    }

    /** @throws Problem {@code already_exists} */
    Rule update(Call call, Rule rule, RuleDraft draft) {
        try {
            return bound(call, UPDATE, rule.id(), draft)
                    .set("anew", !draft.doesTheSameAs(rule))
                    .one(row -> Objects.requireNonNull(row.json("record", Rule.class)))
                    .orElseThrow();
        } catch (SqlFailure e) {
            throw taken(e, draft);
        }
    }

    private static RuntimeException taken(SqlFailure e, RuleDraft draft) {
        return Db.isTaken(e) ? Problem.alreadyExists("rule", draft.name().text()) : e;
    }

    private Statement bound(Call call, String statement, UUID id, RuleDraft draft) {
        return db.sql(call, statement)
                .set("id", id)
                .set("name", draft.name().text())
                .set("name_key", Name.key(draft.name().text()))
                .set("description", draft.description())
                .set("applies_to", draft.appliesTo())
                .set("when", draft.when())
                .set("template", draft.template())
                .set("parameters", draft.parameters() == null ? null : Json.text(draft.parameters()))
                .set("effect", draft.effect().word())
                .set("message", draft.message())
                .set("enabled", draft.enabled())
                .set("priority", draft.priority())
                .set("mode", draft.mode().word())
                .set("examples", Json.text(draft.examples()));
    }

    /**
     * Locks the rule with this id.
     *
     * @throws Problem {@code not_found}
     */
    Rule lock(Call call, String id) {
        return db.sql(call, LOCK)
                .set("id", RuleQueries.id(id).orElse(null))
                .one(row -> Objects.requireNonNull(row.json("record", Rule.class)))
                .orElseThrow(() -> RuleQueries.missing(id));
    }

    void delete(Call call, Rule rule) {
        db.sql(call, "DELETE FROM rule WHERE tenant_id = :tenant AND id = :id")
                .set("id", rule.id())
                .run();
    }
}
