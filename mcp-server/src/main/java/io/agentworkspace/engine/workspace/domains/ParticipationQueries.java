package io.agentworkspace.engine.workspace.domains;

import io.agentworkspace.engine.kernel.access.Visibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Near;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The domains in which the speaker takes part, and so may speak and change tasks; and who else takes part in one. */
public final class ParticipationQueries {
    private static final String FIND = SqlTemplate.of("""
            SELECT d.id, d.name, {takes_part} AS takes_part
              FROM domain d
             WHERE d.tenant_id = :tenant AND d.name_key = :domain AND {visible_domain}
               FOR KEY SHARE OF d
            """)
            .with("takes_part", ZoneEntry.takesPart("d"))
            .with("visible_domain", Visibility.domain("d"))
            .sql();

    /** Who takes part in the domain, and so can have a task of it: agents that are members, and users. */
    private static final String FIND_PARTY = """
            SELECT p.id
              FROM party p, domain d
             WHERE p.tenant_id = :tenant AND d.tenant_id = :tenant AND d.id = :domain AND p.id IN (
                   SELECT a.id FROM agent a
                     JOIN membership m ON m.tenant_id = :tenant AND m.domain_id = :domain AND m.agent_id = a.id
                      AND m.state = 'member'
                    WHERE a.tenant_id = :tenant AND a.name_key = :key AND a.destroyed_at IS NULL
                    UNION ALL
                   SELECT u.id FROM app_user u
                    WHERE u.tenant_id = :tenant AND u.name_key = :key AND u.removed_at IS NULL
                      AND (u.id = d.owner_id OR u.role IN ('admin', 'owner')
                           OR EXISTS (SELECT 1 FROM membership m
                                       WHERE m.tenant_id = :tenant AND m.domain_id = :domain AND m.owner_id = u.id
                                         AND m.state = 'member')))
             ORDER BY p.kind
             LIMIT 1
            """;

    private static final String MEMBERS = """
            SELECT a.name
              FROM membership m JOIN agent a ON a.tenant_id = :tenant AND a.id = m.agent_id
             WHERE m.tenant_id = :tenant AND m.domain_id = :domain AND m.state = 'member'
             ORDER BY a.name_key
             LIMIT 500
            """;

    private final Db db;
    private final DomainStore domains;

    public ParticipationQueries(Db db, DomainStore domains) {
        this.db = db;
        this.domains = domains;
    }

    /** A domain in which the speaker takes part. */
    public record Place(long id, String name) {}

    private record Found(Place place, boolean takesPart) {}

    /**
     * Returns the named domain, else the entered one. It exists until the transaction ends.
     *
     * @throws Problem {@code no_context}, {@code not_found}, or {@code conflict} if the speaker takes no part
     */
    public Place enter(Call call, @Nullable Name named) {
        var name = name(call, named);
        var found = db.sql(call, FIND)
                .set("domain", name.key())
                .one(row -> new Found(row.as(Place.class), row.flag("takes_part")))
                .orElseThrow(() -> domains.missing(call, name));
        if (!found.takesPart()) {
            throw Problem.conflict(ZoneEntry.notMember(call, found.place().name()));
        }
        call.checked(OfDomain.TAKE_PART);
        return found.place();
    }

    private static Name name(Call call, @Nullable Name named) {
        if (named != null) {
            return named;
        }
        var entered = call.context().domain();
        if (entered == null) {
            throw noDomain();
        }
        return Name.of(entered.name());
    }

    private static Problem noDomain() {
        return Problem.noContext(
                "no domain is entered: give target.domain, or enter a zone with ZN_Enter; DM_List shows the domains");
    }

    /**
     * Returns the number of an agent or user who takes part in the domain.
     *
     * @throws Problem {@code not_found}
     */
    public long party(Call call, long domain, String name) {
        return findParty(call, domain, name).orElseThrow(() -> {
            List<String> names = db.sql(call, MEMBERS).set("domain", domain).list(row -> row.text("name"));
            return Problem.notFound("member", name, Near.nearest(name, names, 3));
        });
    }

    private Optional<Long> findParty(Call call, long domain, String name) {
        return db.sql(call, FIND_PARTY)
                .set("domain", domain)
                .set("key", Name.key(name))
                .one(row -> row.number("id"));
    }
}
