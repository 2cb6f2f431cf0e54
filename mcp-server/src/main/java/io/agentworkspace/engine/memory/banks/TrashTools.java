package io.agentworkspace.engine.memory.banks;

import io.agentworkspace.engine.kernel.access.AccessCheck;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.access.Requirement.OfBank;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Effect;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Deletes, restores and destroys banks, agents' shares of them and memories: MB_Trash, MB_Delete, MB_Restore, MB_Destroy. */
final class TrashTools {
    private final BankStore banks;
    private final ShareStore shares;
    private final TrashStore trash;
    private final RevisionStore memories;
    private final SingleMemoryStore singles;
    private final MemoryStore records;
    private final TrashQueries reads;

    public TrashTools(
            BankStore banks,
            ShareStore shares,
            TrashStore trash,
            RevisionStore memories,
            SingleMemoryStore singles,
            MemoryStore records,
            TrashQueries reads) {
        this.reads = reads;
        this.banks = banks;
        this.shares = shares;
        this.trash = trash;
        this.memories = memories;
        this.singles = singles;
        this.records = records;
    }

    static final String ONE = "One memory: id or name.";

    record BankRequest(
            @Doc("Which bank.") BankTargets.ShareTarget target,
            @Doc(ONE) @Nullable MemoryName memory) {}

    record DeleteRequest(
            @Doc("Which bank.") BankTargets.ShareTarget target,
            @Doc(ONE) @Nullable MemoryName memory,

            @Doc(value = "Several: ids.", max = 1_000, rare = true) @Nullable
            List<String> memories) {}

    record RestoreRequest(
            @Doc("Which bank.") BankTargets.ShareTarget target,
            @Doc(ONE) @Nullable MemoryName memory,

            @Doc(value = "Several: ids.", max = 1_000, rare = true) @Nullable
            List<String> memories,

            @Doc("By name.") @Nullable Named vx,

            @Doc(value = "With vx.name: the revision to restore.", min = 1) @Nullable
            Long revision) {}

    record Named(@Doc("The memory's name.") @Nullable MemoryName name) {}

    record DeleteResponse(
            @Doc("Whether anything went to the trash.") boolean changed,
            @Doc("How many memories went to the trash.") long deleted) {}

    record RestoreResponse(
            @Doc("The bank as it is now.") Bank bank,
            @Doc("Its revision.") long revision,
            @Doc("Whether anything came back.") boolean changed,

            @Doc("How many memories came back, if several or an agent's share were restored.") @Nullable
            Long restored,

            @Doc("The memory, if one was restored.") @Nullable
            Memory memory) {}

    record DestroyResponse(
            @Doc("Whether anything was destroyed.") boolean changed,

            @Doc("How many memories were deleted permanently.")
            long destroyed) {}

    public List<Tool<?, ?>> tools() {
        return List.of(trash(), restore(), delete(), destroy());
    }

    record TrashRequest(
            @Doc("Which bank.") BankTargets.Just target,
            @Doc("Which part.") @Nullable Page page) {}

    record TrashResponse(
            @Doc("The memories in the trash, the last deleted first.")
            List<TrashQueries.TrashedMemory> content,

            @Doc("Give it as page.cursor for more; absent on the last page.") @Nullable
            String nextCursor) {}

    private Tool<TrashRequest, TrashResponse> trash() {
        return Tool.named("MB_Trash")
                .title("List deleted memories")
                .description("""
                        Lists the memories of a bank that are in the trash, where they stay for 30 days. Next: MB_Restore, MB_Destroy.\
                        """)
                .details("""
                        With the permission write it shows all of them, else those that you or your agents stored. \
                        Send the id of one as memory to MB_Restore or MB_Destroy.\
                        """)
                .alsoCalled("what was deleted from a bank", "show the bin of a bank", "find a memory that i deleted")
                .hints(Guide.Hint.ON_DEMAND)
                .needs(Capability.BANK_READ)
                .on(OfBank.READ)
                .handledBy(TrashRequest.class, TrashResponse.class, (in, call) -> {
                    var found = reads.read(call, in.target().bank(), in.page());
                    return new TrashResponse(found.rows(), found.nextCursor());
                });
    }

    private Tool<DeleteRequest, DeleteResponse> delete() {
        return Tool.named("MB_Delete")
                .title("Move a bank to the trash")
                .description("""
                        Moves one memory, target.agent's memories, or a whole memory bank to the trash. MB_Restore undoes it for \
                        30 days.\
                        """)
                .details("""
                        One memory requires append, or write if it is another's. memories are ids, such as those that MB_Read \
                        lists with unused_since. Otherwise requires the permission manage; you may always \
                        delete your own agent's memories. Repeating the call changes nothing. MB_Destroy deletes \
                        permanently.\
                        """)
                .alsoCalled(
                        "move a memory to the trash",
                        "remove one note",
                        "clean up memories that nobody uses",
                        "a fact is wrong and should go",
                        "forget that",
                        "trash",
                        "throw away notes",
                        "forget",
                        "discard a notebook",
                        "remove knowledge")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.MANAGE_OR_OWN_SHARE)
                .effect(Effect.DESTROYS)
                .idempotent()
                .handledBy(DeleteRequest.class, DeleteResponse.class, (in, call) -> {
                    if (in.memories() != null) {
                        if (in.memory() != null) {
                            throw Problem.invalid("memories", "cannot be combined with memory: send one of them");
                        }
                        var ids = ids(in.memories());
                        var deleted = singles.deleteAll(call, bankOf(call, in.target(), "memories"), ids);
                        return new DeleteResponse(deleted > 0, deleted);
                    }
                    if (in.memory() != null) {
                        var changed = singles.delete(call, bankOf(call, in.target(), "memory"), in.memory());
                        return new DeleteResponse(changed, changed ? 1 : 0);
                    }
                    if (in.target().agent() != null) {
                        var bank = banks.lock(
                                call, in.target().bank(), call.context().self());
                        var deleted = trash.deleteShare(
                                call, bank, authors(call, bank, in.target().agent()));
                        return new DeleteResponse(deleted > 0, deleted);
                    }
                    return deleteBank(call, in.target().bank());
                });
    }

    private DeleteResponse deleteBank(Call call, Name name) {
        var self = call.context().self();
        var live = trash.live(call, name, self);
        if (live.isPresent()) {
            live.get().permission().require(Permission.MANAGE);
            call.checked(OfBank.MANAGE_OR_OWN_SHARE);
            return new DeleteResponse(true, trash.deleteBank(call, live.get()));
        }
        if (trash.trashed(call, name, self).isEmpty()) {
            throw banks.missing(call, name);
        }
        call.checked(OfBank.MANAGE_OR_OWN_SHARE); // Nothing changes.
        return new DeleteResponse(false, 0);
    }

    private Tool<RestoreRequest, RestoreResponse> restore() {
        return Tool.named("MB_Restore")
                .title("Restore a bank from the trash")
                .description("""
                        Takes one memory, target.agent's memories, or a memory bank out of the trash, within 30 days.\
                        """)
                .details("""
                        It brings back the bank of this name that was deleted last. With vx.name: the memory of that name that was deleted last, or, with revision, an earlier text of it; that requires append for your own memory, else write. Refused, with nothing changed, if \
                        the name of the bank or of a memory has been taken meanwhile. Requires the permission manage, \
                        or that the agent is yours.\
                        """)
                .alsoCalled(
                        "get a deleted memory back",
                        "undo a deletion",
                        "out of the trash",
                        "recover something lost",
                        "accidentally deleted",
                        "undelete",
                        "recover",
                        "undo deletion",
                        "bring back",
                        "get back lost notes")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.RESTORE)
                .effect(Effect.CHANGES)
                .idempotent()
                .handledBy(RestoreRequest.class, RestoreResponse.class, (in, call) -> {
                    if (in.memories() != null) {
                        return restoreSeveral(call, in, in.memories());
                    }
                    if (in.memory() != null) {
                        return restoreSingle(call, in, in.memory());
                    }
                    if (in.vx() != null && in.vx().name() != null) {
                        return restoreMemory(call, in, in.vx().name());
                    }
                    if (in.revision() != null) {
                        throw Problem.invalid("revision", "requires vx.name, the memory that it belongs to");
                    }
                    if (in.target().agent() != null) {
                        var bank = banks.lock(
                                call, in.target().bank(), call.context().self());
                        var restored = trash.restoreShare(
                                call, bank, authors(call, bank, in.target().agent()));
                        return restored(call, bank, restored > 0, restored);
                    }
                    return restoreBank(call, in.target().bank());
                });
    }

    private RestoreResponse restoreSingle(Call call, RestoreRequest in, MemoryName memory) {
        if (in.vx() != null && in.vx().name() != null || in.revision() != null) {
            throw Problem.invalid(
                    "memory",
                    "cannot be combined with vx.name or revision: send vx.name with revision, or memory alone");
        }
        var bank = bankOf(call, in.target(), "memory");
        var restored = singles.restore(call, bank, memory);
        var record = banks.record(call, bank);
        var id = restored.orElseGet(() -> singles.live(call, bank, memory));
        return new RestoreResponse(record, record.revision(), restored.isPresent(), null, records.read(call, bank, id));
    }

    private RestoreResponse restoreSeveral(Call call, RestoreRequest in, List<String> memories) {
        if (in.memory() != null || in.vx() != null && in.vx().name() != null || in.revision() != null) {
            throw Problem.invalid(
                    "memories", "cannot be combined with memory, vx.name or revision: send memories alone");
        }
        var ids = ids(memories);
        var bank = bankOf(call, in.target(), "memories");
        var restored = singles.restoreAll(call, bank, ids);
        return restored(call, bank, restored > 0, restored);
    }

    private static List<UUID> ids(List<String> memories) {
        if (memories.isEmpty()) {
            throw Problem.missing("memories");
        }
        return memories.stream().map(TrashTools::id).distinct().toList();
    }

    private static UUID id(String text) {
        if (!SingleMemoryStore.ID.matcher(text).matches()) {
            throw Problem.invalid("memories", "must have ids of memories; '%s' is none".formatted(text));
        }
        return UUID.fromString(text);
    }

    /** The permission depends on who wrote the memory. */
    private BankStore.LockedBank bankOf(Call call, BankTargets.ShareTarget target, String field) {
        if (target.agent() != null) {
            throw Problem.invalid("target.agent", "cannot be combined with %s: send one of them".formatted(field));
        }
        var bank = banks.read(call, target.bank(), call.context().self());
        bank.permission().require(Permission.APPEND);
        call.checked(call.tool().requirement(OfBank.class));
        return bank;
    }

    private RestoreResponse restoreMemory(Call call, RestoreRequest in, MemoryName name) {
        if (in.target().agent() != null) {
            throw Problem.invalid("target.agent", "cannot be combined with vx.name: send one of them");
        }
        var bank = banks.read(call, in.target().bank(), call.context().self());
        bank.permission().require(Permission.APPEND);
        call.checked(OfBank.RESTORE);
        var changed = in.revision() == null
                ? memories.takeOut(call, bank, name)
                : memories.takeBack(call, bank, name, in.revision());
        var record = banks.record(call, bank);
        return new RestoreResponse(record, record.revision(), changed, null, memories.read(call, bank, name));
    }

    private RestoreResponse restoreBank(Call call, Name name) {
        var self = call.context().self();
        var trashed = trash.trashed(call, name, self);
        var bank = trashed.orElseGet(() -> banks.lock(call, name, self));
        bank.permission().require(Permission.MANAGE);
        call.checked(OfBank.RESTORE);
        if (trashed.isPresent()) {
            trash.restoreBank(call, bank);
        }
        return restored(call, bank, trashed.isPresent(), null);
    }

    private RestoreResponse restored(Call call, BankStore.LockedBank bank, boolean changed, @Nullable Long memories) {
        var record = banks.record(call, bank);
        return new RestoreResponse(record, record.revision(), changed, memories, null);
    }

    private Tool<BankRequest, DestroyResponse> destroy() {
        return Tool.named("MB_Destroy")
                .title("Delete a bank permanently")
                .description("""
                        Deletes one memory, target.agent's memories, or a memory bank permanently. MB_Delete can be undone.\
                        """)
                .details("""
                        One memory: for its author, or with manage. \
                        What is in the trash goes, too. The whole bank: for its owner and admins. An agent's memories: with \
                        the permission manage, or as its owner. destroyed counts the deleted memories. If no bank \
                        has the name, the one trashed last is meant.\
                        """)
                .alsoCalled(
                        "delete a bank for good",
                        "erase all memories of a collection",
                        "remove a knowledge base completely",
                        "wipe",
                        "purge",
                        "erase forever",
                        "gdpr erasure",
                        "shred memories")
                .needs(Capability.BANK_WRITE)
                .on(Requirement.OfBank.OWN_OR_SHARE)
                .effect(Effect.DESTROYS)
                .handledBy(BankRequest.class, DestroyResponse.class, (in, call) -> {
                    if (in.memory() != null) {
                        singles.destroy(call, bankOf(call, in.target(), "memory"), in.memory());
                        return new DestroyResponse(true, 1);
                    }
                    if (in.target().agent() != null) {
                        var bank = banks.lock(
                                call, in.target().bank(), call.context().self());
                        var destroyed = trash.destroyShare(
                                call, bank, authors(call, bank, in.target().agent()));
                        return new DestroyResponse(destroyed > 0, destroyed);
                    }
                    return new DestroyResponse(
                            true,
                            trash.destroyBank(
                                    call, bankToDestroy(call, in.target().bank())));
                });
    }

    private BankStore.LockedBank bankToDestroy(Call call, Name name) {
        var self = call.context().self();
        var bank = trash.live(call, name, self)
                .or(() -> trash.trashed(call, name, self).filter(found -> BankAccess.isOwn(call, found)))
                .orElseThrow(() -> banks.missing(call, name));
        AccessCheck.require(BankAccess.missing(call, bank));
        return bank;
    }

    /**
     * Returns the authors whose share is meant. Managers of the bank may decide about every share, others
     * about those of their own agents.
     */
    private List<Long> authors(Call call, BankStore.LockedBank bank, Name name) {
        var manages = bank.permission().level() == Permission.MANAGE;
        var user = call.context().user().id();
        var authors = shares.named(call, bank, name).stream()
                .filter(writer -> manages || writer.owner() == user)
                .map(ShareStore.Writer::id)
                .toList();
        if (authors.isEmpty()) {
            bank.permission().require(Permission.MANAGE);
        }
        call.checked(call.tool().requirement(OfBank.class));
        return authors;
    }
}
