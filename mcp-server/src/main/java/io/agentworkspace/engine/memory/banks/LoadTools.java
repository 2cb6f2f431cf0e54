package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.memory.documents.load.LoadQueries;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Family;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Working memory: MB_Load, MB_Unload. */
final class LoadTools {
    private final BankStore banks;
    private final BankGrantStore grants;
    private final MemoryQueries reads;
    private final ActingAgent acting;
    private final LoadQueries documents;
    private final DocumentLoadStore loads;

    public LoadTools(
            BankStore banks,
            BankGrantStore grants,
            MemoryQueries reads,
            ActingAgent acting,
            LoadQueries documents,
            DocumentLoadStore loads) {
        this.documents = documents;
        this.loads = loads;
        this.banks = banks;
        this.grants = grants;
        this.reads = reads;
        this.acting = acting;
    }

    record Loadable(
            @Doc(value = "A bank's name; with target.bank a document's name.", max = 255)
            String name) {}

    record LoadRequest(
            @Doc("Into what.") BankTargets.@Nullable Load target,
            @Doc("What to load.") Loadable vx,

            @Doc("true: only preview.") @Nullable Boolean dryRun) {}

    record LoadResponse(
            @Doc("The attached bank, or the bank that the document is in.")
            Bank bank,

            @Doc("Whether the bank was not attached before; for a document, whether memories were added or removed.")
            boolean changed,

            @Doc(
                    "Its pinned and then its newest memories, as many as fit into 4,000 tokens; none if a document was loaded.")
            List<Memory> content,

            @Doc("What loading the document changed; absent if a bank was attached.")
            DocumentLoadStore.@Nullable Result document,

            @Doc("Their estimated size: a token for four characters.")
            long tokens) {}

    record Named(
            @Doc(value = "The bank, unless target.bank gives it.", mayBeBlank = true) @Nullable
            Name name) {}

    record UnloadRequest(
            @Doc("What, and from whom.") BankTargets.@Nullable Unload target,
            @Doc("What to detach.") @Nullable Named vx) {}

    record UnloadResponse(
            @Doc("Whether it was attached before.") boolean changed) {}

    public List<Tool<?, ?>> tools() {
        return List.of(load(), unload());
    }

    private Tool<LoadRequest, LoadResponse> load() {
        return Tool.named("MB_Load")
                .title("Attach a bank to an agent")
                .description("""
                        Without target.bank: attaches the bank vx.name to an agent as working memory, and returns its pinned and newest \
                        memories. With target.bank: splits the document vx.name into memories of that bank.""")
                .details("""
                        The agent is target.agent, else the one you are logged on as; it requires the permission read. \
                        The memories returned have up to 4,000 tokens. MB_Read returns the rest, MB_Unload detaches. With target.bank, vx.name is an accepted document (DC_List): \
                        its newest accepted version is split by its structure into memories of that bank, which requires append, \
                        and document:read. What is unchanged since an older version keeps its memories. With dry_run: true and \
                        no target, it returns what an agent with the permission read would load, and attaches nothing. Repeating the call changes nothing.""")
                .alsoCalled(
                        "let an agent use a bank",
                        "connect a bot with a knowledge base",
                        "equip an agent with knowledge",
                        "import a document into a bank",
                        "attach knowledge",
                        "mount a bank",
                        "load context",
                        "prime an agent",
                        "working memory",
                        "import into context",
                        "hydrate")
                .hints(Guide.Hint.LARGE_RESULT)
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.READ, Requirement.OfAgent.ACT)
                .effect(Effect.CHANGES)
                .idempotent()
                .takesLong()
                .wholeTexts()
                // With a bank as target, it loads a document.
                .exampleWithout("target.bank")
                .handledBy(LoadRequest.class, LoadResponse.class, this::source, (in, source, call) -> {
                    var target = in.target() == null ? new BankTargets.Load(null, null, null, null) : in.target();
                    if (target.bank() != null) {
                        return load(call, target, source);
                    }
                    var name = Name.checked("vx.name", in.vx().name());
                    return attach(call, acting.required(call, target.agent()), name);
                })
                .shownAgainBy(this::loaded)
                .readingWith("dry_run", "true", this::preview);
    }

    /** What is loaded depends on the bank alone, so no agent is named. */
    private LoadResponse preview(LoadRequest in, Call call) {
        call.dryRun();
        if (in.target() != null && (in.target().bank() != null || in.target().agent() != null)) {
            throw Problem.invalid(
                    "dry_run", "previews the bank vx.name for any agent: leave out target.bank and target.agent");
        }
        call.checked(Requirement.OfAgent.ACT); // Nobody acts.
        var found = reads.preview(call, Name.checked("vx.name", in.vx().name()));
        var working = found.working();
        return new LoadResponse(found.bank(), false, working.memories(), null, working.tokens());
    }

    private LoadResponse loaded(LoadRequest in, ObjectNode first, Call call) {
        var agent =
                acting.required(call, in.target() == null ? null : in.target().agent());
        var bank = banks.read(call, Name.checked("vx.name", in.vx().name()), agent);
        AccessCheck.require(BankAccess.missing(call, bank));
        var changed = first.path("changed").asBoolean(false);
        return response(call, bank, banks.record(call, bank), changed);
    }

    /** The document to load, or why it cannot be loaded. Only callers who may load one into the bank get the reason. */
    private record PreparedLoad(
            LoadQueries.@Nullable Source source, @Nullable Problem problem) {}

    /** Reads and splits the document before the transaction begins. Empty if the call attaches a bank. */
    private PreparedLoad source(LoadRequest in, Call call) {
        if (in.target() == null || in.target().bank() == null) {
            return new PreparedLoad(null, null);
        }
        AccessCheck.requireNone(call.caller().obstacleToRead(Family.DOCUMENT, "loading a document"));
        try {
            return new PreparedLoad(documents.read(call, in.vx().name()), null);
        } catch (Problem problem) {
            return new PreparedLoad(null, problem);
        }
    }

    private LoadResponse load(Call call, BankTargets.Load target, PreparedLoad prepared) {
        var agent = acting.agent(call, target.agent());
        var bank = banks.read(call, Objects.requireNonNull(target.bank()), agent);
        bank.permission().require(Permission.APPEND);
        call.checked(Requirement.OfBank.READ); // The permission append includes it.
        if (prepared.problem() != null) {
            throw prepared.problem();
        }
        var source = Objects.requireNonNull(prepared.source());
        var result = loads.load(call, bank, agent == null ? call.context().user() : agent, source);
        call.details("loaded version %d of '%s': %,d memories added, %,d kept, %,d removed"
                .formatted(result.version(), result.name(), result.added(), result.kept(), result.removed()));
        return new LoadResponse(loads.record(call, bank), result.changed(), List.of(), result, 0);
    }

    private LoadResponse attach(Call call, Ref agent, Name name) {
        var bank = banks.read(call, name, agent);
        AccessCheck.require(BankAccess.missing(call, bank));
        var loaded = grants.load(call, bank, agent.id());
        return response(call, bank, loaded.bank(), loaded.changed());
    }

    private LoadResponse response(Call call, BankStore.LockedBank bank, Bank record, boolean changed) {
        call.budget().spend(record);
        var working = reads.working(call, bank);
        return new LoadResponse(record, changed, working.memories(), null, working.tokens());
    }

    private Tool<UnloadRequest, UnloadResponse> unload() {
        return Tool.named("MB_Unload")
                .title("Detach a bank from an agent")
                .description("Detaches a bank from an agent. The bank stays as it is.")
                .details("""
                        The agent is target.agent, else the one you are logged on as. Repeating the call changes \
                        nothing.""")
                .alsoCalled(
                        "take a bank away from an agent",
                        "disconnect a knowledge base",
                        "an agent should no longer know this",
                        "unmount",
                        "forget the attached notes",
                        "remove from working memory",
                        "unlink a notebook")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.SEE, Requirement.OfAgent.ACT)
                .effect(Effect.CHANGES)
                .idempotent()
                .handledBy(UnloadRequest.class, UnloadResponse.class, (in, call) -> {
                    var name = name(in);
                    var agent = acting.required(
                            call, in.target() == null ? null : in.target().agent());
                    var changed = grants.unload(call, name, agent.id());
                    if (!changed) {
                        banks.read(call, name, agent);
                    }
                    return new UnloadResponse(changed);
                });
    }

    private static Name name(UnloadRequest in) {
        if (in.target() != null && in.target().bank() != null) {
            return in.target().bank();
        }
        if (in.vx() == null || in.vx().name() == null) {
            throw Problem.missing("target.bank");
        }
        return in.vx().name();
    }
}
