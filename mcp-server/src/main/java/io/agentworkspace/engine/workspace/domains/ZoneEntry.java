package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.messages.Destination;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who may send messages in which zone, and the zone's conversation. */
public final class ZoneEntry {
    /**
     * Protects the memberships of the domain :domain until the transaction ends. Otherwise a user who is removed in the meantime
     * would receive messages again by sending one. An agent needs no such protection, since only its membership lets
     * it receive messages.
     */
    private static final String HOLD = """
            SELECT 1 AS domain_lock FROM domain WHERE NOT :by_agent AND tenant_id = :tenant AND name_key = :domain FOR KEY SHARE;
            """;

    private static final String FIND = HOLD
            + SqlTemplate.of("""
            SELECT d.name AS domain, z.conversation_id AS conversation, z.name AS zone, {takes_part} AS takes_part,
                   ARRAY(SELECT near.name FROM zone near
                          WHERE z.id IS NULL AND near.tenant_id = :tenant AND near.domain_id = d.id LIMIT 500) AS zones
              FROM domain d
              LEFT JOIN zone z ON z.tenant_id = :tenant AND z.domain_id = d.id AND z.name_key = :zone
             WHERE d.tenant_id = :tenant AND d.name_key = :domain AND {visible_domain}
            """)
                    .with("takes_part", takesPart("d"))
                    .with("visible_domain", Visibility.domain("d"))
                    .sql();

    private final Db db;
    private final DomainStore domains;

    public ZoneEntry(Db db, DomainStore domains) {
        this.db = db;
        this.domains = domains;
    }

    /** Returns whether the speaker takes part in the domain: self as a member, else the user through an agent or as owner. */
    public static String takesPart(String domain) {
        return SqlTemplate.of("""
                CASE WHEN CAST(:self AS bigint) IS NOT NULL
                     THEN EXISTS (SELECT 1 FROM membership m
                                   WHERE m.tenant_id = :tenant AND m.domain_id = {domain}.id
                                     AND m.agent_id = :self AND m.state = 'member')
                     ELSE {domain}.owner_id = :user OR :admin
                          OR EXISTS (SELECT 1 FROM membership m
                                      WHERE m.tenant_id = :tenant AND m.domain_id = {domain}.id
                                        AND m.owner_id = :user AND m.state = 'member') END
                """).with("domain", domain).sql();
    }

    private record ZoneLookup(
            String domain,
            @Nullable Long conversation,
            @Nullable String zone,
            boolean takesPart,
            List<String> zones) {}

    /**
     * Returns a zone where the speaker may send messages: in the named domain, else the entered one.
     *
     * @throws Problem {@code no_context}, {@code not_found}, or {@code conflict} if the speaker is not a member
     */
    public Destination enter(Call call, @Nullable Name domain, @Nullable Name zone) {
        var entered = call.context().domain();
        if (domain == null && entered == null) {
            throw Problem.noContext("no domain is entered: give target.domain, or enter a zone with ZN_Enter");
        }
        var zoneName = zone == null ? ZoneStore.MAIN : zone;
        var domainName = domain != null
                ? domain
                : Name.of(Objects.requireNonNull(entered).name());
        var found = find(call, domainName, zoneName).orElseThrow(() -> domains.missing(call, domainName));
        if (!found.takesPart()) {
            throw Problem.conflict(notMember(call, found.domain()));
        }
        call.checked(OfDomain.TAKE_PART);
        if (found.conversation() == null || found.zone() == null) {
            throw ZoneStore.missing(zoneName, found.zones());
        }
        return Destination.zone(found.conversation(), found.domain(), found.zone());
    }

    private Optional<ZoneLookup> find(Call call, Name domain, Name zone) {
        return db.sql(call, FIND)
                .set("by_agent", call.context().self() != null)
                .set("domain", domain.key())
                .set("zone", zone.key())
                .all(results -> {
                    results.next(_ -> true); // The lock.
                    return results.next(row -> row.as(ZoneLookup.class));
                });
    }

    /** Returns the note for a speaker who takes no part in the domain: what is missing, and who can admit it. */
    public static String notMember(Call call, String domain) {
        var self = call.context().self();
        return self == null
                ? "none of your agents is a member of the domain '%s'; ask to let one in with DM_Invite, which the domain's owner, an admin or its host agrees to"
                        .formatted(domain)
                : "the agent '%s' is not a member of the domain '%s'; its owner asks to let it in with DM_Invite, and the domain's owner, an admin or its host agrees"
                        .formatted(self.name(), domain);
    }
}
