package io.agentworkspace.engine.tools;

import io.agentworkspace.engine.model.Access;
import io.agentworkspace.engine.model.Call;
import io.agentworkspace.engine.model.Catalogue;
import io.agentworkspace.engine.model.MemberState;
import io.agentworkspace.engine.model.Name;
import io.agentworkspace.engine.model.Permission;
import io.agentworkspace.engine.model.Problem;
import io.agentworkspace.engine.model.Reasons;
import io.agentworkspace.engine.model.Reasons.Standing;
import io.agentworkspace.engine.model.ToolRunner;
import io.agentworkspace.engine.store.AgentStore;
import io.agentworkspace.engine.store.BankStore;
import io.agentworkspace.engine.store.Db;
import io.agentworkspace.engine.store.DomainStore;
import io.agentworkspace.engine.store.Standings;
import io.agentworkspace.engine.store.ZoneEntry;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Tells a caller why it may run a tool on a thing, or why not, without running it. What it may not see looks absent. */
final class Explanation {
    private final Catalogue catalogue;
    private final Standings standings;
    private final AgentStore agents;
    private final DomainStore domains;
    private final BankStore banks;
    private final Clock clock;

    Explanation(Catalogue catalogue, Db db, Clock clock) {
        this.catalogue = catalogue;
        this.standings = new Standings(db);
        this.agents = new AgentStore(db);
        this.domains = new DomainStore(db);
        this.banks = new BankStore(db);
        this.clock = clock;
    }

    /** How the caller stands to the thing, and what it lacks. */
    private record Finding(Standing standing, Optional<String> lack) {}

    Reasons of(ToolRunner.Question question) {
        var tool = catalogue.read(question.tool());
        if (question.target() == null) {
            return Reasons.of(question.caller(), tool, null, List.of());
        }
        var parts = question.target().split(":", 2);
        var kind = parts[0].strip();
        var need = Demands.of(tool.name(), kind);
        if (parts.length < 2 || parts[1].isBlank()) {
            throw Problem.invalid("target", "must be a kind and a name, like agent:Ada, domain:Den or bank:Box");
        }
        if (question.context().length() > Name.MAX) {
            throw Problem.invalid("context", "must be at most %d characters".formatted(Name.MAX));
        }
        var now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        var call = new Call(question.caller(), tool.name(), question.requestId(), question.context(), null, now);
        var finding = switch (kind) {
            case "agent" -> agent(call, Name.checked("target", parts[1]), need);
            case "domain" -> domain(call, Name.checked("target", parts[1]), null, need);
            case "zone" -> zone(call, parts[1], need);
            case "bank" -> bank(call, Name.checked("target", parts[1]), need);
            default -> key(call, parts[1].strip(), need);
        };
        return Reasons.of(
                question.caller(),
                tool,
                finding.standing(),
                finding.lack().stream().toList());
    }

    private Finding agent(Call call, Name name, Need need) {
        var found = standings.agent(call, name).orElseThrow(() -> agents.missing(call, name));
        var thing = found.thing();
        var relations = relations(call, thing);
        if (found.listed()) {
            relations.add("roster");
        }
        if (found.shared() && !thing.own()) {
            relations.add("domain");
        }
        return finding("agent", thing, relations, need, null, lack(call, found, need));
    }

    private static Optional<String> lack(Call call, Standings.OfAgent found, Need need) {
        var thing = found.thing();
        var bound = call.caller().boundAgent();
        var acts = need == Need.BE || need == Need.ACT;
        if (acts && bound != null && bound != thing.id()) {
            return Optional.of(Notes.boundElsewhere(thing.name()));
        }
        var may = need == Need.SEE || thing.own() || (call.caller().isAdmin() && need != Need.BE);
        return may
                ? Optional.empty()
                : Optional.of(
                        switch (need) {
                            case BE -> Notes.notYourself(thing.name(), thing.owner());
                            case ACT -> Notes.notToActAs(thing.name(), thing.owner());
                            default -> Notes.notYours("agent", thing.name(), thing.owner());
                        });
    }

    private Finding zone(Call call, String path, Need need) {
        var names = path.split("/", 2);
        if (names.length < 2) {
            throw Problem.invalid("target", "must name the zone with its domain, like zone:Den/tea");
        }
        return domain(call, Name.checked("target", names[0]), Name.checked("target", names[1]), need);
    }

    private Finding domain(Call call, Name name, @Nullable Name zone, Need need) {
        var found = standings.domain(call, name, zone).orElseThrow(() -> domains.missing(call, name));
        if (zone != null && !found.zone()) {
            throw Problem.notFound("zone", zone.text(), List.of());
        }
        var relations = relations(call, found.thing());
        if (found.hosting()) {
            relations.add("host");
        }
        if (found.state() != null) {
            relations.add(found.state().word());
        }
        var only = need == Need.RUN_OR_OWN_AGENT && !runs(call, found) ? "agents of your own" : null;
        return finding(zone == null ? "domain" : "zone", found.thing(), relations, need, only, lack(call, found, need));
    }

    private static boolean runs(Call call, Standings.OfDomain found) {
        return found.thing().own() || call.caller().isAdmin() || found.hosting();
    }

    private static Optional<String> lack(Call call, Standings.OfDomain found, Need need) {
        var thing = found.thing();
        return switch (need) {
            case OWN ->
                thing.own() || call.caller().isAdmin()
                        ? Optional.empty()
                        : Optional.of(Notes.notYours("domain", thing.name(), thing.owner()));
            case RUN ->
                runs(call, found) ? Optional.empty() : Optional.of(Notes.notOfItsSide(thing.name(), thing.owner()));
            case TAKE_PART ->
                found.takesPart() ? Optional.empty() : Optional.of(ZoneEntry.notMember(call, thing.name()));
            case RUN_OR_OWN_AGENT ->
                found.state() == MemberState.BANNED && found.member() != null && !runs(call, found)
                        ? Optional.of(Notes.banned(found.member(), thing.name(), thing.owner()))
                        : Optional.empty();
            default -> Optional.empty();
        };
    }

    private Finding bank(Call call, Name name, Need need) {
        var found = standings.bank(call, name).orElseThrow(() -> banks.missing(call, name));
        var held = found.permission();
        var thing = found.thing();
        var manages = held.permission() == Permission.MANAGE;
        var lack = switch (need) {
            case READ -> held.lack(Permission.READ);
            case APPEND -> held.lack(Permission.APPEND);
            case MANAGE -> held.lack(Permission.MANAGE);
            case OWN ->
                thing.own() || call.caller().isAdmin()
                        ? Optional.<String>empty()
                        : Optional.of(Notes.notToDestroy(thing.name(), thing.owner()));
            default -> Optional.<String>empty();
        };
        var standing = new Standing(
                "bank",
                thing.name(),
                thing.owner(),
                thing.access(),
                relations(call, thing),
                held.permission(),
                held.via(),
                need.words(),
                lack.isEmpty(),
                need == Need.MANAGE_OR_OWN_SHARE && !manages ? "what agents of your own stored" : null);
        return new Finding(standing, lack);
    }

    private Finding key(Call call, String id, Need need) {
        var found = standings
                .key(call, id)
                .orElseThrow(() -> Problem.notFound(
                        "key", id.length() > Name.MAX ? id.substring(0, Name.MAX) + "…" : id, List.of()));
        var relations = new ArrayList<String>();
        if (found.own()) {
            relations.add("owner");
        }
        if (call.caller().isAdmin()) {
            relations.add("admin");
        }
        return new Finding(
                new Standing("key", found.name(), found.user(), null, relations, null, null, need.words(), true, null),
                Optional.empty());
    }

    private static List<String> relations(Call call, Standings.Thing thing) {
        var relations = new ArrayList<String>();
        if (thing.own()) {
            relations.add("owner");
        }
        if (call.caller().isAdmin()) {
            relations.add("admin");
        }
        if (thing.access() == Access.PUBLIC) {
            relations.add("public");
        }
        return relations;
    }

    private static Finding finding(
            String kind,
            Standings.Thing thing,
            List<String> relations,
            Need need,
            @Nullable String only,
            Optional<String> lack) {
        var standing = new Standing(
                kind,
                thing.name(),
                thing.owner(),
                thing.access(),
                relations,
                null,
                null,
                need.words(),
                lack.isEmpty(),
                only);
        return new Finding(standing, lack);
    }
}
