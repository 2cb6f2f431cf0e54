package io.agentworkspace.engine.workspace.reservations;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.model.change.Change;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.messages.NoticeStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Announces that paths are reserved or free again: in one line in the zone {@code main} of the domain, which wakes nobody.
 * Whoever was refused a path gets a direct message when it is free, and that wakes its session.
 */
final class PathNoticeStore {
    private static final int MAX_SHOWN = 10;

    /** Those of :parties who can still see what is in the domain. */
    private static final String FIND_PRESENT = """
            SELECT p.id, d.name AS domain
              FROM domain d, unnest(CAST(:parties AS bigint[])) p (id)
             WHERE d.tenant_id = :tenant AND d.id = :domain
               AND (EXISTS (SELECT 1
                              FROM membership m JOIN agent a ON a.tenant_id = :tenant AND a.id = m.agent_id
                             WHERE m.tenant_id = :tenant AND m.domain_id = :domain AND m.state = 'member'
                               AND m.agent_id = p.id AND a.destroyed_at IS NULL)
                    OR EXISTS (SELECT 1
                                 FROM app_user u
                                WHERE u.tenant_id = :tenant AND u.id = p.id AND u.removed_at IS NULL
                                  AND (u.id = d.owner_id OR u.role IN ('admin', 'owner')
                                       OR EXISTS (SELECT 1 FROM membership m
                                                   WHERE m.tenant_id = :tenant AND m.domain_id = :domain
                                                     AND m.owner_id = u.id AND m.state = 'member'))))
             ORDER BY p.id
            """;

    private final Db db;
    private final NoticeStore notices;

    PathNoticeStore(Db db) {
        this.db = db;
        this.notices = new NoticeStore(db);
    }

    /**
     * A reservation that has ended.
     *
     * @param active whether its lease had not ended before
     * @param refused whom it kept from an edit or from reserving
     */
    record Gone(long tenant, long domain, long holder, String path, boolean active, List<Long> refused) {}

    private record Present(long party, String domain) {}

    /** Announces what the speaker has reserved, without what it only extended. */
    Optional<Change> reserved(Call call, long domain, List<String> paths, @Nullable String reason) {
        if (paths.isEmpty()) {
            return Optional.empty();
        }
        var line = line("Reserved", paths)
                + (reason == null ? "" : ": " + reason.strip().replaceAll("\\s+", " "));
        return notices.inMain(
                call.caller().tenant(), domain, call.context().speaker().id(), line, call.now());
    }

    /** @param gone of one holder in one domain */
    List<Change> announce(List<Gone> gone, String why, Instant at) {
        if (gone.isEmpty()) {
            return List.of();
        }
        var first = gone.getFirst();
        var changes = new ArrayList<Change>();
        notices.inMain(first.tenant(), first.domain(), first.holder(), line(gone) + why, at)
                .ifPresent(changes::add);
        var refused =
                gone.stream().flatMap(one -> one.refused().stream()).distinct().toList();
        for (var party : refused.isEmpty() ? List.<Present>of() : present(first, refused)) {
            var paths = gone.stream()
                    .filter(one -> one.refused().contains(party.party()))
                    .toList();
            var text = "%s, in the domain '%s'%s".formatted(line(paths), party.domain(), why);
            notices.direct(first.tenant(), first.holder(), party.party(), text, at)
                    .ifPresent(changes::add);
        }
        return changes;
    }

    private List<Present> present(Gone first, List<Long> refused) {
        return db.sql(FIND_PRESENT)
                .set("tenant", first.tenant())
                .set("domain", first.domain())
                .set("parties", refused)
                .list(row -> new Present(row.number("id"), row.text("domain")));
    }

    private static String line(List<Gone> gone) {
        return line("Free again", gone.stream().map(Gone::path).toList());
    }

    private static String line(String what, List<String> all) {
        return "%s: %s".formatted(what, named(all.stream().distinct().sorted().toList()));
    }

    /** Returns the paths for a sentence: the first ones, and how many there are. */
    static String named(List<String> paths) {
        var text = String.join(", ", paths.subList(0, Math.min(MAX_SHOWN, paths.size())));
        return text + (paths.size() > MAX_SHOWN ? ", … (%d paths)".formatted(paths.size()) : "");
    }
}
