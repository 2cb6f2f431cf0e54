package io.agentworkspace.engine.banks;

import io.agentworkspace.engine.banks.MemoryStore.Draft;
import io.agentworkspace.engine.banks.MemoryStore.Holder;
import io.agentworkspace.engine.context.IfRevision;
import io.agentworkspace.engine.model.access.Permission;
import io.agentworkspace.engine.model.bank.Memory;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Context.Ref;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One text on its way into a bank: a new memory, or the new text of the one that holds its name. What is hidden and what is
 * shown do not touch: a censored author leaves a memory that readers see as it is, and a name that a hidden memory holds
 * is free to everyone else.
 */
final class MemoryWrite {
    private final MemoryStore memories;
    private final Call call;
    private final BankStore.Held bank;
    private final Ref author;
    private final boolean censored;

    /** @param censored whether the author is censored in this bank */
    MemoryWrite(MemoryStore memories, Call call, BankStore.Held bank, Ref author, boolean censored) {
        this.memories = memories;
        this.call = call;
        this.bank = bank;
        this.author = author;
        this.censored = censored;
    }

    /** @param ifRevision the revision that the memory of this name must have, 0 when there must be none */
    Memory store(Draft draft, @Nullable Long ifRevision) {
        var name = draft.name();
        if (name == null) {
            return insert(draft, false).orElseThrow();
        }
        while (true) {
            var stored = store(draft, name, ifRevision);
            if (stored.isPresent()) {
                return stored.get();
            }
            // Somebody else took the name between the look and the insertion; the next look finds theirs.
        }
    }

    private Optional<Memory> store(Draft draft, Name name, @Nullable Long ifRevision) {
        var holder = memories.holder(call, bank, name).orElse(null);
        var known = holder != null && isKnown(holder) ? holder : null;
        IfRevision.check(ifRevision, known == null ? 0 : known.revision());
        if (known != null && known.author() != author.id()) {
            bank.permission().require(Permission.WRITE);
        }
        if (known != null && (known.hidden() || !censored)) {
            return Optional.of(memories.replace(call, bank, known, draft, contributors(draft)));
        }
        if (holder != null && !censored) {
            memories.release(call, bank, holder);
        }
        return insert(draft, holder == null || !censored);
    }

    /** A hidden memory is as if it were not there, save for its own censored author, who goes on writing it. */
    private boolean isKnown(Holder holder) {
        return !holder.hidden() || (censored && holder.author() == author.id());
    }

    private Optional<Memory> insert(Draft draft, boolean holdsName) {
        return memories.insert(call, bank, author, draft, contributors(draft), holdsName);
    }

    private List<Long> contributors(Draft draft) {
        var origins = draft.origins() == null ? List.<Long>of() : memories.contributors(call, bank, draft.origins());
        return Stream.concat(Stream.of(author.id()), origins.stream())
                .distinct()
                .toList();
    }
}
