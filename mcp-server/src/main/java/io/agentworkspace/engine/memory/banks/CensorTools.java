package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Hides content that is kept for audit: MB_Censor, MB_Uncensor. */
final class CensorTools {
    private final BankStore banks;
    private final ShareStore shares;
    private final CensorStore censors;
    private final SingleMemoryStore singles;

    public CensorTools(BankStore banks, ShareStore shares, CensorStore censors, SingleMemoryStore singles) {
        this.banks = banks;
        this.shares = shares;
        this.censors = censors;
        this.singles = singles;
    }

    record UncensorRequest(
            @Doc("What to hide, or to show again.") BankTargets.ShareTarget target,

            @Doc("One memory: id or name.") @Nullable MemoryName memory) {}

    record CensorRequest(
            @Doc("What to hide.") BankTargets.ShareTarget target,

            @Doc("One memory: id or name.") @Nullable MemoryName memory,

            @Doc("true: only report what would be hidden.") @Nullable
            Boolean dryRun) {}

    record CensorResponse(
            @Doc("Whether this hid anything new.") boolean changed,
            @Doc("How many memories this hides.") long hidden,

            @Doc("With dry_run: the visible ones among them, at most 100.") @Nullable
            List<Affected> affected) {}

    /** A memory that would be hidden. */
    record Affected(
            @Doc("Its id.") String id,
            @Doc("Its name, if it has one.") @Nullable String name,
            @Doc("Who stored it first.") String author,

            @Doc("The ids of the memories that it was made from.")
            List<String> derivedFrom) {}

    record UncensorResponse(
            @Doc("Whether it was hidden before.") boolean changed,

            @Doc("How many of the affected memories are visible now.")
            long shown) {}

    public List<Tool<?, ?>> tools() {
        return List.of(censor(), uncensor());
    }

    private Tool<CensorRequest, CensorResponse> censor() {
        return Tool.named("MB_Censor")
                .title("Hide memories")
                .description("""
                        Hides one memory, what target.agent wrote in a bank, or the whole bank. MB_Uncensor shows it again.""")
                .details("""
                        What was derived from it is hidden too, and what it writes from now on goes \
                        into quarantine. dry_run reports what would be hidden, and changes nothing. Everything is kept for audit. Requires the permission manage. Repeating the \
                        call changes nothing.""")
                .alsoCalled(
                        "hide a memory from everybody",
                        "block out sensitive content",
                        "confidential data got into a note",
                        "nobody may read this any more",
                        "hide memories",
                        "quarantine",
                        "suppress wrong facts",
                        "mute an author",
                        "redact",
                        "poisoned memory")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.MANAGE)
                .effect(Effect.CHANGES)
                .idempotent()
                .handledBy(CensorRequest.class, CensorResponse.class, (in, call) -> {
                    var bank = manage(call, in.target());
                    if (in.memory() != null) {
                        return censor(call, bank, in, in.memory());
                    }
                    var agents = in.target().agent() == null
                            ? null
                            : agents(call, bank, in.target().agent());
                    if (Boolean.TRUE.equals(in.dryRun())) {
                        call.dryRun();
                        var affected = censors.affected(call, bank, agents);
                        return new CensorResponse(false, censors.count(call, bank, agents), affected);
                    }
                    var changed =
                            agents == null ? censors.censor(call, bank, true) : censors.censor(call, bank, agents);
                    return new CensorResponse(changed, censors.count(call, bank, agents), null);
                });
    }

    private Tool<UncensorRequest, UncensorResponse> uncensor() {
        return Tool.named("MB_Uncensor")
                .title("Show hidden memories")
                .description("Shows again what MB_Censor hid.")
                .details("""
                        With memory: that one. With target.agent: that agent's share of the bank. Without: the whole bank; agents that were \
                        censored individually stay so. Requires the permission manage. Repeating the call changes \
                        nothing.""")
                .alsoCalled(
                        "show a hidden memory again",
                        "undo the censoring",
                        "release a blocked note",
                        "unhide",
                        "show hidden notes",
                        "lift quarantine",
                        "reveal")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.MANAGE)
                .effect(Effect.CHANGES)
                .idempotent()
                .handledBy(UncensorRequest.class, UncensorResponse.class, (in, call) -> {
                    var bank = manage(call, in.target());
                    if (in.memory() != null) {
                        var memory = single(call, bank, in.target(), in.memory());
                        var changed = censors.uncensor(call, bank, memory);
                        return new UncensorResponse(
                                changed, censors.affected(call, bank, memory).size());
                    }
                    if (in.target().agent() == null) {
                        return new UncensorResponse(
                                censors.censor(call, bank, false), censors.countReadable(call, bank, null));
                    }
                    var agents = agents(call, bank, in.target().agent());
                    return new UncensorResponse(
                            censors.uncensor(call, bank, agents), censors.countReadable(call, bank, agents));
                });
    }

    private CensorResponse censor(Call call, BankStore.LockedBank bank, CensorRequest in, MemoryName name) {
        var memory = single(call, bank, in.target(), name);
        if (Boolean.TRUE.equals(in.dryRun())) {
            call.dryRun();
            return new CensorResponse(false, censors.count(call, bank, memory), censors.affected(call, bank, memory));
        }
        var changed = censors.censor(call, bank, memory);
        return new CensorResponse(changed, censors.count(call, bank, memory), null);
    }

    private UUID single(Call call, BankStore.LockedBank bank, BankTargets.ShareTarget target, MemoryName memory) {
        if (target.agent() != null) {
            throw Problem.invalid("target.agent", "cannot be combined with memory: send one of them");
        }
        return singles.live(call, bank, memory);
    }

    private BankStore.LockedBank manage(Call call, BankTargets.ShareTarget target) {
        var bank = banks.lock(call, target.bank(), call.context().self());
        AccessCheck.require(BankAccess.missing(call, bank));
        return bank;
    }

    private List<Long> agents(Call call, BankStore.LockedBank bank, Name name) {
        return shares.named(call, bank, name).stream()
                .map(ShareStore.Writer::id)
                .toList();
    }
}
