package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.access.AccessCheck;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.bank.Bank;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.ObjectNode;

/** Working memory: MB_Load, MB_Unload. */
public final class LoadTools {
    private final BankStore banks;
    private final GrantStore grants;
    private final MemoryQueries reads;
    private final ActingAgent acting;

    public LoadTools(BankStore banks, GrantStore grants, MemoryQueries reads, ActingAgent acting) {
        this.banks = banks;
        this.grants = grants;
        this.reads = reads;
        this.acting = acting;
    }

    record Loadable(
            @Doc(value = "A bank's name; with target.bank a document's name.", max = 255)
            String name) {}

    record Load(
            @Doc("Into what.") BankTargets.@Nullable Load target,
            @Doc("What to load.") Loadable vx) {}

    record Loaded(
            @Doc("The bank that is attached now.") Bank bank,
            @Doc("Whether it was not attached before.") boolean changed,

            @Doc("Its pinned and then its newest memories that fit into 4,000 tokens together.")
            List<Memory> content,

            @Doc("What they are estimated at: a token for four characters.")
            long tokens) {}

    record Named(
            @Doc("The bank, unless target.bank gives it.") @Nullable
            Name name) {}

    record Unload(
            @Doc("What, and from whom.") BankTargets.@Nullable Unload target,
            @Doc("What to detach.") @Nullable Named vx) {}

    record Unloaded(@Doc("Whether it was attached before.") boolean changed) {}

    public List<Tool<?, ?>> tools() {
        return List.of(load(), unload());
    }

    private Tool<Load, Loaded> load() {
        return Tool.named("MB_Load")
                .title("Attach a bank to an agent")
                .description("""
                        Attaches the bank vx.name to an agent as working memory. Returns its pinned and newest memories, up to \
                        4,000 tokens.""")
                .details("""
                        The agent is target.agent, else the one you are logged on as; it requires the permission read. \
                        MB_Read returns the rest. With target.bank, vx.name is a document to load into that bank; this \
                        version has no documents yet, so leave target.bank out. Repeating the call changes nothing. \
                        MB_Unload detaches.""")
                .alsoCalled(
                        "attach knowledge",
                        "mount a bank",
                        "load context",
                        "prime an agent",
                        "working memory",
                        "import into context",
                        "hydrate")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.READ, Requirement.OfAgent.ACT)
                .effect(Effect.CHANGES)
                .idempotent()
                .wholeTexts()
                // With a bank as target it loads a document.
                .exampleWithout("target.bank")
                .handledBy(Load.class, Loaded.class, (in, call) -> {
                    var target = in.target() == null ? new BankTargets.Load(null, null, null, null) : in.target();
                    if (target.bank() != null) {
                        banks.read(call, target.bank(), call.context().self())
                                .permission()
                                .require(Permission.APPEND);
                        throw noDocument(in.vx().name());
                    }
                    var name = Name.checked("vx.name", in.vx().name());
                    return attach(call, acting.required(call, target.agent()), name);
                })
                .shownAgainBy(this::loaded);
    }

    private Loaded loaded(Load in, ObjectNode first, Call call) {
        var agent =
                acting.required(call, in.target() == null ? null : in.target().agent());
        var bank = banks.read(call, Name.checked("vx.name", in.vx().name()), agent);
        AccessCheck.require(BankAccess.missing(call, bank));
        var changed = first.path("changed").asBoolean(false);
        return shown(call, bank, banks.record(call, bank), changed);
    }

    /** With target.bank the name is a document's, and there are none yet. */
    private static Problem noDocument(String name) {
        var shown = Name.shortened(name);
        var problem = Problem.notFound("accepted document", shown, List.of());
        return new Problem(
                problem.failure(),
                "%s: with target.bank vx.name is a document, and this version has none yet; to load the bank '%s' into an agent leave target.bank out"
                        .formatted(problem.note(), shown));
    }

    private Loaded attach(Call call, Ref agent, Name name) {
        var bank = banks.read(call, name, agent);
        AccessCheck.require(BankAccess.missing(call, bank));
        var loaded = grants.load(call, bank, agent.id());
        return shown(call, bank, loaded.bank(), loaded.changed());
    }

    private Loaded shown(Call call, BankStore.Held bank, Bank record, boolean changed) {
        call.budget().spend(record);
        var working = reads.working(call, bank);
        return new Loaded(record, changed, working.memories(), working.tokens());
    }

    private Tool<Unload, Unloaded> unload() {
        return Tool.named("MB_Unload")
                .title("Detach a bank from an agent")
                .description("Detaches a bank from an agent. The bank stays as it is.")
                .details("""
                        The agent is target.agent, else the one you are logged on as. Repeating the call changes \
                        nothing.""")
                .alsoCalled("unmount", "forget the attached notes", "remove from working memory", "unlink a notebook")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.SEE, Requirement.OfAgent.ACT)
                .effect(Effect.CHANGES)
                .idempotent()
                .handledBy(Unload.class, Unloaded.class, (in, call) -> {
                    var name = name(in);
                    var agent = acting.required(
                            call, in.target() == null ? null : in.target().agent());
                    var changed = grants.unload(call, name, agent.id());
                    if (!changed) {
                        banks.read(call, name, agent);
                    }
                    return new Unloaded(changed);
                });
    }

    private static Name name(Unload in) {
        if (in.target() != null && in.target().bank() != null) {
            return in.target().bank();
        }
        if (in.vx() == null || in.vx().name() == null) {
            throw Problem.missing("target.bank");
        }
        return in.vx().name();
    }
}
