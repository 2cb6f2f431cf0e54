package io.agentworkspace.engine.kernel.context;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.agentworkspace.engine.kernel.context.ContextStore.Selection;
import io.agentworkspace.engine.kernel.context.ContextStore.StoredContext;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.Precondition;
import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.tool.Call;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The contexts of calls. Each is kept in memory with what it depends on: the version of what decides access in the tenant, and the rows
 * that it selects. The next statement of the call checks both in the same round trip, before its own rows are read; if either has
 * changed, the context is read and everything is done again. So a call sees all that was committed before it began, whichever
 * replica committed it.
 */
public final class Contexts {
    private static final int KEPT = 10_000;

    /** For those who change the database by hand, which gives no new version. */
    private static final Duration LONGEST = Duration.ofMinutes(1);

    /** Whose context it is, with all of a credential that decides what is read. */
    private record Key(
            long tenant,
            String principal,
            String context,
            long user,
            Role role,
            @Nullable Long bound,
            @Nullable String acting,
            boolean forOthers) {
        static Key of(Call call) {
            var caller = call.caller();
            var acting = call.actingFor() == null ? null : call.actingFor().key();
            return new Key(
                    caller.tenant(),
                    caller.principal(),
                    call.contextName(),
                    caller.user(),
                    caller.role(),
                    caller.boundAgent(),
                    acting,
                    acting != null && caller.mayActForOthers());
        }
    }

    private final Db db;
    private final ContextStore store;
    private final Cache<Key, StoredContext> kept =
            Caffeine.newBuilder().maximumSize(KEPT).expireAfterWrite(LONGEST).build();

    /** The latest version that this engine knows, by tenant. Contexts of another one are not tried. */
    private final Cache<Long, UUID> latest =
            Caffeine.newBuilder().maximumSize(KEPT).build();

    public Contexts(Db db) {
        this.db = db;
        this.store = new ContextStore(db);
        db.whenAccessChanged(latest::invalidate);
    }

    /** Runs work that loads a context, and runs it again if what was kept of it is old. */
    public <T> T rerunning(Supplier<T> work) {
        return Precondition.retrying(work);
    }

    /** Runs a part of a call that lasts, with the context as it is now: the first part, with the one that the call has loaded. */
    public <T> T renewed(Call call, Supplier<T> part) {
        return Precondition.isPending()
                ? part.get()
                : rerunning(() -> {
                    load(call);
                    return part.get();
                });
    }

    /**
     * Reads the context into the call. Within {@link #rerunning} that is what was kept, without a statement: the next one checks it.
     * In a transaction only the claim of an idempotency key comes before it.
     *
     * @throws io.agentworkspace.engine.model.problem.Problem {@code unauthenticated}, {@code not_permitted}, or {@code
     *     not_found} for a user to act for
     */
    public void load(Call call) {
        var key = Key.of(call);
        var known = kept.getIfPresent(key);
        if (known != null && Precondition.isPossible() && known.version().equals(latest.getIfPresent(key.tenant()))) {
            call.load(known.context());
            store.checkWithNext(call, (version, selection) -> isCurrent(key, known, version, selection));
            return;
        }
        var read = store.read(call);
        if (!db.hasChangedAccess()) { // A version that is not committed must not be kept. A selection may: it is
            // compared with the stored one.
            latest.put(key.tenant(), read.version());
            kept.put(key, read);
        }
    }

    /** Makes sure now that the call has a context which is not old. */
    public void loadNow(Call call) {
        if (call.contextIfKnown() == null) {
            load(call);
        }
        Precondition.complete();
    }

    private boolean isCurrent(Key key, StoredContext known, UUID version, Selection selection) {
        latest.put(key.tenant(), version);
        var isCurrent = version.equals(known.version()) && selection.equals(known.selection());
        if (!isCurrent) {
            kept.asMap().remove(key, known);
        }
        return isCurrent;
    }

    /** Says that a call has committed what it changed in its context. */
    public void committed(Call call) {
        if (call.hasMoved()) {
            kept.invalidate(Key.of(call));
        }
    }
}
