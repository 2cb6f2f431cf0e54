package io.agentworkspace.engine.model;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One run of one tool: who, when, under which request id, and in which context. Lives as long as the request. */
public final class Call {
    private final Caller caller;
    private final String service;
    private final String requestId;
    private final String contextName;
    private final @Nullable Name actingFor;
    private final Instant now;
    private final List<Event> events = new ArrayList<>();
    private final Map<Scope, Long> created = new EnumMap<>(Scope.class);
    private boolean queued;
    private @Nullable Context loaded;
    private @Nullable Context context;
    private Progress progress = Progress.SILENT;
    private Context.@Nullable Ref acting;
    private @Nullable Object found;
    private Budget budget = Budget.once().forCall();
    private boolean readOnly;

    public Call(
            Caller caller,
            String service,
            String requestId,
            String contextName,
            @Nullable Name actingFor,
            Instant now) {
        this.caller = caller;
        this.service = service;
        this.requestId = requestId;
        this.contextName = contextName;
        this.actingFor = actingFor;
        this.now = now;
    }

    public Caller caller() {
        return caller;
    }

    public String service() {
        return service;
    }

    public String requestId() {
        return requestId;
    }

    public String contextName() {
        return contextName;
    }

    /** The user named in {@code target.user}, where that is not the caller. Admins only. */
    public @Nullable Name actingFor() {
        return actingFor;
    }

    /** One instant for the whole run, in whole milliseconds. */
    public Instant now() {
        return now;
    }

    /** Whom a long run tells how far it is: the MCP client that asked to hear it, else nobody. */
    public Progress progress() {
        return progress;
    }

    public void progress(Progress listener) {
        progress = listener;
    }

    /** How much its answer may still carry. */
    public Budget budget() {
        return budget;
    }

    public void budget(Budget given) {
        budget = given;
    }

    /** Whether nothing may be marked as read. */
    public boolean isReadOnly() {
        return readOnly;
    }

    public void readOnly(boolean only) {
        readOnly = only;
    }

    /** Notes what happened: it is written in the transaction, and told to whoever wants to know once that is committed. */
    public void tell(EventType type, EventData data) {
        events.add(Event.of(type, now, data));
    }

    /** What has happened so far, in its order. */
    public List<Event> events() {
        return Collections.unmodifiableList(events);
    }

    /** Notes that so many have come to be that the plan limits: the caller is told how many may follow. */
    public void created(Scope scope, long count) {
        created.merge(scope, count, Long::sum);
    }

    /** What has come to be so far. */
    public Map<Scope, Long> created() {
        return Collections.unmodifiableMap(created);
    }

    /** Notes that deliveries were queued: there is work for the outbox once the transaction is committed. */
    public void queue() {
        queued = true;
    }

    /** Whether the outbox has work to do for this call. */
    public boolean concernsOutbox() {
        return queued || !events.isEmpty();
    }

    /** The transaction begins, perhaps anew: nothing has happened yet. */
    public void begin() {
        events.clear();
        created.clear();
        queued = false;
    }

    /** What calling out, before the transaction, has given. */
    public <T> T found(Class<T> type) {
        return type.cast(Objects.requireNonNull(found, "nothing was called"));
    }

    public void found(Object outcome) {
        found = outcome;
    }

    /** The agent that acts: the one that the call names as such, else self. */
    public Context.@Nullable Ref acting() {
        return acting != null ? acting : loaded == null ? null : loaded.self();
    }

    public void acting(Context.Ref named) {
        acting = named;
    }

    /** Known once the first statement has run; a handler may rely on it in a transaction and after its read. */
    public Context context() {
        if (context == null) {
            throw new IllegalStateException("the context has not been read yet");
        }
        return context;
    }

    public @Nullable Context contextIfKnown() {
        return context;
    }

    /** The context as it was stored when the call read it, before the call changed anything. */
    public Context loadedContext() {
        if (loaded == null) {
            throw new IllegalStateException("the context has not been read yet");
        }
        return loaded;
    }

    /** What was read; {@link #context(Context)} says what the call makes of it. */
    public void load(Context read) {
        loaded = read;
        context = read;
    }

    public void context(Context changed) {
        context = changed;
    }
}
