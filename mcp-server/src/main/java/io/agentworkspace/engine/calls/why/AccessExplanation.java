package io.agentworkspace.engine.calls.why;

import io.agentworkspace.engine.identity.keys.KeyAccess;
import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.access.UserAccess;
import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.memory.banks.BankAccess;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.documents.DocumentAccess;
import io.agentworkspace.engine.model.access.Access;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfAgent;
import io.agentworkspace.engine.model.access.Requirement.OfBank;
import io.agentworkspace.engine.model.access.Requirement.OfCredential;
import io.agentworkspace.engine.model.access.Requirement.OfDocument;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.access.Requirement.OfKey;
import io.agentworkspace.engine.model.access.Requirement.OfUser;
import io.agentworkspace.engine.model.access.Requirement.OfZone;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.problem.Failure;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.problem.UserHandle;
import io.agentworkspace.engine.model.tool.AccessReasons;
import io.agentworkspace.engine.model.tool.AccessReasons.Standing;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Catalogue;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.model.tool.ToolRunner;
import io.agentworkspace.engine.workspace.agents.AgentAccess;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.domains.DomainAccess;
import io.agentworkspace.engine.workspace.domains.DomainStore;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Explains to a caller why it may or may not run a tool on a thing, without running the tool. A thing that the caller
 * may not see looks absent.
 */
public final class AccessExplanation {
    private final Catalogue catalogue;
    private final Contexts contexts;
    private final RelationQueries queries;
    private final AgentStore agents;
    private final DomainStore domains;
    private final BankStore banks;
    private final Clock clock;

    public AccessExplanation(Catalogue catalogue, Db db, Contexts contexts, Clock clock) {
        this.catalogue = catalogue;
        this.contexts = contexts;
        this.queries = new RelationQueries(db);
        this.agents = new AgentStore(db);
        this.domains = new DomainStore(db);
        this.banks = new BankStore(db);
        this.clock = clock;
    }

    /** The caller's relation to the thing, and what it lacks. */
    private record Finding(Standing standing, Optional<String> missing) {}

    public AccessReasons of(ToolRunner.Question question) {
        var tool = catalogue.read(question.tool());
        var finding = question.target() == null ? null : finding(question, tool, question.target());
        var missing = new ArrayList<String>();
        AccessCheck.ofCredential(call(question, tool, null))
                .refusal()
                .map(Problem::note)
                .ifPresent(missing::add);
        if (finding != null) {
            finding.missing().ifPresent(missing::add);
        }
        return AccessReasons.of(question.caller(), tool, finding == null ? null : finding.standing(), missing);
    }

    private Call call(ToolRunner.Question question, Tool<?, ?> tool, @Nullable UserHandle actingFor) {
        var now = clock.instant().truncatedTo(ChronoUnit.MILLIS);
        var call = new Call(question.caller(), tool, question.requestId(), now);
        call.runIn(question.context(), actingFor);
        return call;
    }

    /**
     * Returns the caller's relation to a thing. A caller that may neither run the tool nor read such things learns
     * nothing about the thing, not even whether it exists.
     */
    private @Nullable Finding finding(ToolRunner.Question question, Tool<?, ?> tool, String target) {
        var parts = target.split(":", 2);
        var kind = parts[0].strip();
        var required = required(tool, kind);
        if (parts.length < 2 || parts[1].isBlank()) {
            throw Problem.invalid("target", "must be a kind and a name, like agent:Ada, domain:Den or bank:Box");
        }
        if (question.context().length() > Name.MAX) {
            throw Problem.invalid("context", "must be at most %d characters".formatted(Name.MAX));
        }
        if (!question.caller().may(tool) && !question.caller().mayRead(Family.of(kind))) {
            return null;
        }
        var call = call(question, tool, null);
        if (!(required instanceof OfUser)) {
            contexts.load(call);
        }
        return switch (required) {
            case OfAgent needed -> agent(call, Name.mentioned("target", parts[1]), needed);
            case OfDomain needed -> domain(call, Name.checked("target", parts[1]), null, needed);
            case OfZone needed -> zone(call, parts[1], needed);
            case OfBank needed -> bank(call, Name.checked("target", parts[1]), needed);
            case OfUser needed -> user(question, tool, UserHandle.checked("target", parts[1]), needed);
            case OfKey needed -> key(call, parts[1].strip(), needed);
            case OfDocument needed -> document(call, parts[1].strip(), needed);
            case OfCredential _ -> throw new IllegalStateException("a credential is not asked about");
        };
    }

    /**
     * Returns what a tool requires of a target of this kind. Every tool that can act for a user has a requirement of
     * users.
     *
     * @throws Problem {@code invalid_field} if the tool has no target of this kind
     */
    private static Requirement required(Tool<?, ?> tool, String kind) {
        var required = new LinkedHashMap<String, Requirement>();
        tool.requirements().stream()
                .filter(one -> !(one instanceof OfCredential))
                .forEach(one -> required.put(one.kind(), one));
        if (tool.inputSchema().json().at("/properties/target/properties").has("user")) {
            required.putIfAbsent("user", OfUser.STAND_FOR);
        }
        var found = required.get(kind);
        if (found == null) {
            throw Problem.invalid(
                    "target",
                    required.isEmpty()
                            ? "must be left out: %s is not run on a thing that could be asked about"
                                    .formatted(tool.name())
                            : "must be a thing that %s is run on, as kind:name; its kinds are %s"
                                    .formatted(tool.name(), String.join(", ", required.keySet())));
        }
        return found;
    }

    private Finding agent(Call call, Name name, OfAgent need) {
        var found = queries.agent(call, name).orElseThrow(() -> agents.missing(call, name));
        var thing = found.thing();
        var relations = relations(call, thing);
        if (found.listed()) {
            relations.add("roster");
        }
        if (found.shared() && !thing.own()) {
            relations.add("domain");
        }
        return finding("agent", thing, relations, need, null, AgentAccess.missing(call, found.agent()));
    }

    private Finding zone(Call call, String path, OfZone need) {
        var names = path.split("/", 2);
        if (names.length < 2) {
            throw Problem.invalid("target", "must name the zone with its domain, like zone:Den/tea");
        }
        return domain(call, Name.checked("target", names[0]), Name.checked("target", names[1]), need.inDomain());
    }

    private Finding domain(Call call, Name name, @Nullable Name zone, OfDomain need) {
        var found = queries.domain(call, name, zone).orElseThrow(() -> domains.missing(call, name));
        if (zone != null && !found.zone()) {
            throw Problem.notFound("zone", zone.text(), List.of());
        }
        var relations = relations(call, found.thing());
        if (found.part().domain().isHostedBy(call)) {
            relations.add("host");
        }
        var state = found.part().state();
        if (state != null) {
            relations.add(state.word());
        }
        var kind = zone == null ? "domain" : "zone";
        var part = found.part();
        var only = DomainAccess.limit(call, need, part.domain());
        return finding(kind, found.thing(), relations, need, only, DomainAccess.missing(call, need, part));
    }

    private Finding bank(Call call, Name name, OfBank need) {
        var found = queries.bank(call, name, trash(need))
                .filter(bank -> !bank.trashed() || need != OfBank.OWN_OR_SHARE || BankAccess.isOwn(call, bank.bank()))
                .orElseThrow(() -> banks.missing(call, name));
        var permission = found.bank().permission();
        var thing = found.thing();
        var missing = BankAccess.missing(call, found.bank());
        var only = !missing.isRefused() ? BankAccess.limit(need, permission.level()) : null;
        var standing = new Standing(
                "bank",
                thing.name(),
                thing.owner(),
                thing.access(),
                relations(call, thing),
                permission.level(),
                permission.via(),
                need.words(),
                !missing.isRefused(),
                only);
        return new Finding(standing, missing.refusal().map(Problem::note));
    }

    private static RelationQueries.Trash trash(OfBank need) {
        return switch (need) {
            case RESTORE -> RelationQueries.Trash.FIRST;
            case MANAGE_OR_OWN_SHARE, OWN_OR_SHARE -> RelationQueries.Trash.LAST;
            case SEE, READ, APPEND, MANAGE, READ_OR_GRANT, READ_OR_APPEND -> RelationQueries.Trash.LEFT_OUT;
        };
    }

    private Finding key(Call call, String id, OfKey need) {
        var found = queries.key(call, id).orElseThrow(() -> Problem.notFound("key", Name.shortened(id), List.of()));
        var missing = KeyAccess.missing(call, found.key(), found::powers);
        var only = KeyAccess.limit(need, found.key().grant(), found.powers());
        return bare(call, "key", found.name(), found.user(), found.own(), need, missing, only);
    }

    private Finding document(Call call, String text, OfDocument need) {
        var versions = queries.document(call, text);
        if (versions.isEmpty()) {
            throw Problem.notFound("document", Name.shortened(text), List.of());
        }
        var newest = versions.getFirst();
        var own = newest.owner() == call.context().user().id();
        return bare(
                call,
                "document",
                newest.name(),
                newest.ownerName(),
                own,
                need,
                DocumentAccess.missing(call, versions),
                null);
    }

    /**
     * Explains access to a user. A user whom the caller may not act for is not looked up, so that the response is the
     * same as for an absent one.
     */
    private Finding user(ToolRunner.Question question, Tool<?, ?> tool, UserHandle name, OfUser need) {
        var caller = question.caller();
        var call = call(question, tool, caller.isNamed(name.text()) ? null : name);
        var obstacle = call.actingFor() == null || (name.isAddress() && !need.isAboutUser())
                ? Optional.<Problem>empty()
                : caller.obstacleToOthers().map(Problem::notPermitted);
        if (obstacle.isPresent()) {
            return bare(call, "user", name.text(), name.text(), false, need, AccessCheck.refused(obstacle.get()), null);
        }
        Role role;
        try {
            contexts.load(call);
            role = queries.role(call);
        } catch (Problem refused) {
            if (refused.failure() != Failure.NOT_PERMITTED || caller.mayActForOthers()) {
                throw refused;
            }
            return bare(call, "user", name.text(), name.text(), false, need, AccessCheck.refused(refused), null);
        }
        var user = call.context().user();
        var own = user.id() == caller.user();
        var missing = UserAccess.missing(need, call, user.id(), role);
        var found = user.name();
        return bare(call, "user", found, found, own, need, missing, null);
    }

    /** Returns the finding for a thing without access setting and relations of its own. */
    private static Finding bare(
            Call call,
            String kind,
            String name,
            String owner,
            boolean own,
            Requirement need,
            AccessCheck missing,
            @Nullable String only) {
        var relations = new ArrayList<String>();
        if (own) {
            relations.add("owner");
        }
        if (call.caller().isAdmin()) {
            relations.add("admin");
        }
        var standing =
                new Standing(kind, name, owner, null, relations, null, null, need.words(), !missing.isRefused(), only);
        return new Finding(standing, missing.refusal().map(Problem::note));
    }

    private static List<String> relations(Call call, RelationQueries.Thing thing) {
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
            RelationQueries.Thing thing,
            List<String> relations,
            Requirement need,
            @Nullable String only,
            AccessCheck missing) {
        var standing = new Standing(
                kind,
                thing.name(),
                thing.owner(),
                thing.access(),
                relations,
                null,
                null,
                need.words(),
                !missing.isRefused(),
                only);
        return new Finding(standing, missing.refusal().map(Problem::note));
    }
}
