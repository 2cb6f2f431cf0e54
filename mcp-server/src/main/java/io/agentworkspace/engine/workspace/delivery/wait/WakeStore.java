package io.agentworkspace.engine.workspace.delivery.wait;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.scheduling.TenantTurns;
import io.agentworkspace.engine.model.problem.Problem;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who can be woken by a message, and how. Waiting calls and open streams are registered while they are open, and renewed
 * by their replica; what a replica that died has registered expires soon.
 */
public final class WakeStore {
    /** How often the registrations of open calls and streams are renewed. */
    public static final Duration RENEWAL = Duration.ofSeconds(10);

    private static final Logger LOG = LoggerFactory.getLogger(WakeStore.class);
    private static final Duration VALID = RENEWAL.multipliedBy(3);

    private static final String REGISTER = """
            INSERT INTO wake (tenant_id, party_id, kind, holder, until, from_agent, in_domain, in_zone, answers, beside)
            SELECT home.tenant_id, w.party_id, w.kind, w.holder, :until, w.agent, w.domain, w.zone, w.answers, w.beside
              FROM tenant_plan home
              JOIN unnest(CAST(:tenants AS bigint[]), CAST(:parties AS bigint[]), CAST(:kinds AS text[]), CAST(:holders AS text[]),
                          CAST(:agents AS text[]), CAST(:domains AS text[]), CAST(:zones AS text[]),
                          CAST(:answers AS uuid[]), CAST(:beside AS uuid[]))
                   w (tenant_id, party_id, kind, holder, agent, domain, zone, answers, beside)
                ON w.tenant_id = home.tenant_id
             WHERE home.tenant_id = ANY(CAST(:tenants AS bigint[]))
            ON CONFLICT (tenant_id, party_id, kind, holder) DO UPDATE SET until = excluded.until
            """;

    private static final String REMOVE = """
            DELETE FROM wake
             WHERE tenant_id = :tenant AND party_id = :party AND kind = :kind AND holder = :holder
            """;

    private static final String EXPIRED = Db.oldRows("wake", "tenant_id, party_id, kind, holder", "until <= :until");

    private final Set<Registration> open = ConcurrentHashMap.newKeySet();
    private final Db db;
    private final Clock clock;

    public WakeStore(Db db, Clock clock) {
        this.db = db;
        this.clock = clock;
    }

    /**
     * One way to wake a party.
     *
     * @param party the agent, or a user who acts as none
     * @param holder the stream or call that hears
     */
    private record Registration(long tenant, long party, WakeKind kind, String holder, Narrowing narrowing) {}

    /** A registration that lasts until it is closed. */
    @FunctionalInterface
    public interface OpenWake extends AutoCloseable {
        @Override
        void close();
    }

    private void remove(Registration registration) {
        db.sql(REMOVE)
                .set("tenant", registration.tenant())
                .set("party", registration.party())
                .set("kind", registration.kind().word())
                .set("holder", registration.holder())
                .run();
    }

    /** Registers a stream of this replica until it is closed. */
    public OpenWake open(long tenant, long party, WakeKind kind) {
        return open(tenant, party, kind, Narrowing.NOTHING);
    }

    /** Registers a call or a stream of this replica, which hears only some messages, until it is closed. */
    OpenWake open(long tenant, long party, WakeKind kind, Narrowing narrowing) {
        var registration =
                new Registration(tenant, party, kind, UUID.randomUUID().toString(), narrowing);
        open.add(registration);
        attempt(() -> register(List.of(registration), clock.instant().plus(VALID)));
        return () -> {
            open.remove(registration);
            if (!attempt(() -> remove(registration))) {
                // A call whose client has gone may use the database no more.
                Thread.startVirtualThread(() -> attempt(() -> remove(registration)));
            }
        };
    }

    /** Renews the registrations of open calls and streams. */
    public void renew() {
        var tenants = open.stream().map(Registration::tenant).collect(Collectors.toSet());
        if (!tenants.isEmpty()) {
            attempt(() -> TenantTurns.together(
                    tenants,
                    some -> register(
                            open.stream()
                                    .filter(each -> some.contains(each.tenant()))
                                    .toList(),
                            clock.instant().plus(VALID))));
        }
    }

    /** Deletes expired registrations. */
    public void purge(Instant now) {
        db.deleteOld(EXPIRED, now);
    }

    /** A receipt that is not exact does no harm: nobody's call fails for it. */
    private static boolean attempt(Runnable work) {
        try {
            work.run();
            return true;
        } catch (Problem e) {
            LOG.debug("not registered: {}", e.note());
            return false;
        }
    }

    private static List<@Nullable String> texts(
            Collection<Registration> all, Function<Narrowing, @Nullable Object> part) {
        var texts = new ArrayList<@Nullable String>();
        for (var each : all) {
            var value = part.apply(each.narrowing());
            texts.add(value == null ? null : value.toString());
        }
        return texts;
    }

    private void register(Collection<Registration> all, Instant until) {
        db.sql(REGISTER)
                .set("tenants", all.stream().map(Registration::tenant).toList())
                .set("parties", all.stream().map(Registration::party).toList())
                .set("kinds", all.stream().map(each -> each.kind().word()).toList())
                .set("holders", all.stream().map(Registration::holder).toList())
                .set("agents", texts(all, Narrowing::agentKey))
                .set("domains", texts(all, Narrowing::domainKey))
                .set("zones", texts(all, Narrowing::zoneKey))
                .set("answers", texts(all, Narrowing::replyTo))
                .set("beside", texts(all, Narrowing::beside))
                .set("until", until)
                .run();
    }
}
