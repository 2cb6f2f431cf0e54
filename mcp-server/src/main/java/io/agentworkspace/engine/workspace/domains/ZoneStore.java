package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Row;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Writes of zones. Code that creates or ends a zone must hold its domain locked. */
public final class ZoneStore {
    /** The zone that every domain has. */
    public static final Name MAIN = Name.of("main");

    /** The record of a zone {@code z} as JSON. */
    static final String RECORD =
            "jsonb_build_object('name', z.name, 'description', z.description, 'created_at', z.created_at)";

    private static final String INSERT =
            SqlTemplate.of("""
            WITH ids AS MATERIALIZED (SELECT nextval('entity_id') AS conversation, nextval('entity_id') AS zone),
                 st AS (INSERT INTO conversation (tenant_id, id)
                        SELECT home.tenant_id, ids.conversation
                          FROM tenant_plan home CROSS JOIN ids
                         WHERE home.tenant_id = :tenant
                           AND NOT EXISTS (SELECT 1 FROM zone
                                            WHERE tenant_id = :tenant AND domain_id = :domain AND name_key = :key)
                        RETURNING *),
                 z AS (INSERT INTO zone (tenant_id, id, domain_id, name, name_key, description, conversation_id, created_at)
                       SELECT home.tenant_id, ids.zone, :domain, :name, :key, CAST(:description AS text), st.id, :now
                         FROM tenant_plan home CROSS JOIN ids CROSS JOIN st
                        WHERE home.tenant_id = :tenant
                       RETURNING *),
                 listener AS (INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq)
                           SELECT m.tenant_id, m.agent_id, z.conversation_id, m.owner_id, 0
                             FROM z
                             JOIN membership m ON m.tenant_id = :tenant AND m.domain_id = z.domain_id
                            WHERE m.state = 'member')
            SELECT {zone_json} AS record FROM z
            """).with("zone_json", RECORD).sql();

    private static final String READ =
            SqlTemplate.of("""
            SELECT z.id, z.conversation_id, {zone_json} AS record
              FROM zone z
             WHERE z.tenant_id = :tenant AND z.domain_id = :domain AND z.name_key = :key
            """).with("zone_json", RECORD).sql();

    private static final String TAKES_PART =
            SqlTemplate.of("""
            SELECT {takes_part} AS takes_part FROM domain d WHERE d.tenant_id = :tenant AND d.id = :domain
            """).with("takes_part", ZoneEntry.takesPart("d")).sql();

    private final Db db;

    public ZoneStore(Db db) {
        this.db = db;
    }

    /** A zone of a domain that the transaction has locked. */
    record LockedZone(long id, long conversation, Zone zone) {
        Ref ref() {
            return new Ref(id, zone.name());
        }
    }

    /**
     * Creates the zone. All members of the domain receive its messages.
     *
     * @throws Problem {@code already_exists}
     */
    Zone insert(Call call, DomainStore.LockedDomain domain, Name name, @Nullable String description) {
        call.changed(domain.zonesChanged());
        return db.sql(call, INSERT)
                .sameAccess() // Nothing has selected it yet.
                .set("domain", domain.id())
                .set("name", name)
                .set("key", name.key())
                .set("description", description)
                .one(ZoneStore::record)
                .orElseThrow(() -> Problem.alreadyExists(
                        "zone", name.text(), "choose another name, or enter that zone with ZN_Enter"));
    }

    /** @throws Problem {@code not_found} */
    LockedZone read(Call call, DomainStore.LockedDomain domain, Name name) {
        return db.sql(call, READ)
                .set("domain", domain.id())
                .set("key", name.key())
                .one(row -> new LockedZone(row.number("id"), row.number("conversation_id"), record(row)))
                .orElseThrow(() -> missing(name, names(call, domain)));
    }

    private List<String> names(Call call, DomainStore.LockedDomain domain) {
        return db.sql(call, """
                SELECT name FROM zone WHERE tenant_id = :tenant AND domain_id = :domain ORDER BY name_key LIMIT 500
                """).set("domain", domain.id()).list(row -> row.text("name"));
    }

    /** Returns the refusal for an unknown zone, with the domain's zones that have similar names. */
    public static Problem missing(Name name, List<String> zones) {
        return Problem.notFound("zone", name.text(), Near.nearest(name.text(), zones, 3));
    }

    /** Deletes the zone, with its conversation and messages. */
    void destroy(Call call, DomainStore.LockedDomain domain, LockedZone target) {
        call.changed(domain.zonesChanged());
        db.sql(call, """
                WITH closed AS (DELETE FROM zone WHERE tenant_id = :tenant AND id = :id RETURNING conversation_id)
                DELETE FROM conversation WHERE tenant_id = :tenant AND id IN (SELECT conversation_id FROM closed)
                """).set("id", target.id()).run();
    }

    /**
     * Refuses a speaker who takes no part in the domain. Self takes part as a member, else the user through an agent
     * or as owner.
     *
     * @throws Problem {@code conflict}
     */
    void checkTakesPart(Call call, DomainStore.LockedDomain domain) {
        var takesPart = db.sql(call, TAKES_PART)
                .set("domain", domain.id())
                .one(row -> row.flag("takes_part"))
                .orElseThrow();
        if (!takesPart) {
            throw Problem.conflict(ZoneEntry.notMember(call, domain.name()));
        }
        call.checked(OfDomain.TAKE_PART);
    }

    /** Lets the acting user receive the zone's messages from now on, unless it already does. */
    void listen(Call call, LockedZone target) {
        db.sql(call, """
                INSERT INTO participant (tenant_id, party_id, conversation_id, owner_id, read_seq)
                SELECT st.tenant_id, CAST(:user AS bigint), st.id, CAST(:user AS bigint), st.last_seq
                  FROM conversation st
                 WHERE st.tenant_id = :tenant AND st.id = :conversation
                ON CONFLICT DO NOTHING
                """).set("conversation", target.conversation()).run();
    }

    private static Zone record(Row row) throws SQLException {
        return Objects.requireNonNull(row.json("record", Zone.class));
    }
}
