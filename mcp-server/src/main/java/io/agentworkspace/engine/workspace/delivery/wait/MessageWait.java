package io.agentworkspace.engine.workspace.delivery.wait;

import io.agentworkspace.engine.kernel.context.Contexts;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.scheduling.OpenRequest;
import io.agentworkspace.engine.model.agent.Message;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.delivery.wait.WaitQueries.Place;
import io.agentworkspace.engine.workspace.delivery.wait.WaitQueries.Waiting;
import io.agentworkspace.engine.workspace.domains.DomainStore;
import io.agentworkspace.engine.workspace.domains.ZoneEntry;
import io.agentworkspace.engine.workspace.domains.ZoneStore;
import io.agentworkspace.engine.workspace.messages.MessagePages;
import io.agentworkspace.engine.workspace.messages.MessagePages.Marked;
import io.agentworkspace.engine.workspace.messages.StoredMessage;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Waits for messages to a speaker, and takes those that came: for AP_Wait, and for AP_Chat that waits for an answer. */
public final class MessageWait {
    /** The maximum of the field {@code wait_seconds}. */
    public static final int MAX_SECONDS = 300;

    /** Clients of MCP give up calls that take longer. */
    public static final int MAX_OVER_MCP = 240;

    private static final int DEFAULT = 50;

    /** Codex returns to its model after 30 seconds. */
    private static final int DEFAULT_OF_CODEX = 25;

    private static final int MOST = 50;

    /** How often a call looks again, after other readers took what it was about to show. */
    private static final int ATTEMPTS = 20;

    private final Contexts contexts;
    private final WaitQueries queries;
    private final WaitingCalls calls;
    private final MessagePages pages;
    private final AgentStore agents;
    private final DomainStore domains;
    private final Clock clock;

    public MessageWait(Db db, Contexts contexts, WaitingCalls calls, Clock clock) {
        this.contexts = contexts;
        this.queries = new WaitQueries(db);
        this.calls = calls;
        this.pages = new MessagePages(db);
        this.agents = new AgentStore(db);
        this.domains = new DomainStore(db);
        this.clock = clock;
    }

    /**
     * What a wait found.
     *
     * @param isHearer whether what is waited for reaches the speaker at all
     * @param isRead whether the messages count as read now
     * @param isWithdrawn whether the question whose answers were waited for was taken back
     */
    public record Heard(
            List<Message> messages, long waitedMillis, boolean isHearer, boolean isRead, boolean isWithdrawn) {}

    /** What one look took. */
    private record Taken(List<Message> messages, boolean isRead, boolean isWithdrawn) {
        static final Taken NOTHING = new Taken(List.of(), true, false);
        static final Taken WITHDRAWN = new Taken(List.of(), true, true);
    }

    /** Returns how long a call waits that names this time, or none. */
    public static Duration time(Call call, @Nullable Integer seconds) {
        var isMcp = RequestSource.MCP.equals(call.source().endpoint());
        var waitSeconds = seconds != null ? seconds : usual(call.source().client());
        return Duration.ofSeconds(isMcp ? Math.min(waitSeconds, MAX_OVER_MCP) : waitSeconds);
    }

    /** Returns what to do about a question that nobody can answer any more. */
    public static String noAnswer(String state) {
        return "The question is %s, so no answer comes. Go on without it, or ask again.".formatted(state);
    }

    /** Returns how many seconds a call of this client waits that names no time. */
    public static int usual(@Nullable String client) {
        return client != null && client.toLowerCase(Locale.ROOT).contains("codex") ? DEFAULT_OF_CODEX : DEFAULT;
    }

    /** Waits for messages to the speaker, and marks those as read that are shown whole. */
    Heard forMessages(Call call, Narrowing narrowing, Duration longest) {
        var place = new Place[1];
        var begin = clock.instant();
        var taken = await(call, narrowing, longest, false, () -> {
            var found = contexts.renewed(call, () -> queries.waiting(call, narrowing, MOST));
            check(call, narrowing, found.place());
            place[0] = found.place();
            return found.messages();
        });
        return new Heard(
                taken.messages(),
                waited(call, begin),
                narrowing.domain() == null || Objects.requireNonNull(place[0]).isHearer(),
                taken.isRead(),
                taken.isWithdrawn());
    }

    /**
     * Waits for the answer to the speaker's own message, and marks what was said up to it as read. If no answer comes in
     * time, it takes what was said instead.
     */
    public Heard forAnswer(Call call, UUID own, Duration longest) {
        var begin = clock.instant();
        var narrowing = new Narrowing(null, null, null, null, own);
        Supplier<List<Waiting>> reader = () -> contexts.renewed(call, () -> queries.since(call, own, MOST));
        var taken = await(call, narrowing, longest, true, () -> {
            var said = reader.get();
            return said.stream().anyMatch(each -> isAnswer(each.message().message(), own)) ? said : List.of();
        });
        if (taken.messages().isEmpty()) {
            taken = take(call, reader, true).orElse(taken);
        }
        return new Heard(taken.messages(), waited(call, begin), true, taken.isRead(), taken.isWithdrawn());
    }

    /** Returns whether a message answers: in a zone, what a program says otherwise may be meant for others. */
    private static boolean isAnswer(Message message, UUID own) {
        return own.toString().equals(message.text().replyTo())
                || message.place().to() != null
                || Boolean.TRUE.equals(message.place().person());
    }

    private Taken await(
            Call call, Narrowing narrowing, Duration longest, boolean isShared, Supplier<List<Waiting>> reader) {
        var found = take(call, reader, isShared);
        if (found.isEmpty() && longest.isPositive()) {
            found = calls.await(
                    call,
                    narrowing,
                    longest,
                    () -> take(call, reader, isShared).or(() -> withdrawn(call, narrowing.question())));
        }
        return found.or(() -> withdrawn(call, narrowing.replyTo())).orElse(Taken.NOTHING);
    }

    /** Ends a wait for the answer to a question that was taken back. */
    private Optional<Taken> withdrawn(Call call, @Nullable UUID question) {
        return question != null && queries.isWithdrawn(call, question)
                ? Optional.of(Taken.WITHDRAWN)
                : Optional.empty();
    }

    /** Returns how long the call has waited, and moves its time there. */
    private long waited(Call call, Instant begin) {
        call.notBefore(clock.instant());
        return millisSince(begin);
    }

    private long millisSince(Instant begin) {
        return Math.max(0, Duration.between(begin, clock.instant()).toMillis());
    }

    /** Takes what waits. If other readers took all of it meanwhile, there may be more. */
    private Optional<Taken> take(Call call, Supplier<List<Waiting>> reader, boolean isShared) {
        for (var attempt = 0; attempt < ATTEMPTS; attempt++) {
            var waiting = reader.get();
            var taken = take(call, waiting, isShared);
            if (waiting.isEmpty() || taken.isPresent()) {
                return taken;
            }
        }
        return Optional.empty();
    }

    /**
     * Returns as many of the messages as fit, and marks them as read. Of several calls that wait for the same message, one
     * hears it, unless it is an answer to what the call sent.
     */
    private Optional<Taken> take(Call call, List<Waiting> waiting, boolean isShared) {
        if (waiting.isEmpty()) {
            return Optional.empty();
        }
        var messages = call.budget()
                .fit(waiting.stream().map(each -> each.message().message()).toList());
        var page = new ArrayList<StoredMessage>();
        var consecutive = new ArrayList<StoredMessage>();
        for (var i = 0; i < messages.size(); i++) {
            var message = new StoredMessage(waiting.get(i).message().conversation(), messages.get(i));
            page.add(message);
            if (waiting.get(i).skipped() == 0) {
                consecutive.add(message);
            }
        }
        WaitingCall.checkClient(OpenRequest.current());
        call.notBefore(clock.instant());
        var isUnread = !call.isReadBySpeaker()
                || (isShared && call.context().self() == null); // Sending as a user reads nothing.
        var marked = isUnread ? new Marked(Set.of(), Map.of()) : pages.mark(call, page, consecutive);
        if (!isShared) {
            page.stream().filter(marked::isLost).forEach(each -> call.budget().giveBack(each.message()));
            page.removeIf(marked::isLost);
        }
        if (page.isEmpty()) {
            return Optional.empty();
        }
        var isRead = page.stream().noneMatch(marked::isLost) || call.context().unread() == 0;
        var all = page.stream().map(StoredMessage::message);
        var inOrder = isShared
                ? all.sorted(Comparator.comparingLong(message -> message.place().seq()))
                : all;
        return Optional.of(new Taken(inOrder.toList(), isRead, false));
    }

    private void check(Call call, Narrowing narrowing, Place place) {
        if (!place.agentFound()) {
            throw agents.missing(call, Objects.requireNonNull(narrowing.agent()));
        } else if (!place.replyFound()) {
            throw Problem.notFound(
                    "message", Objects.requireNonNull(narrowing.replyTo()).toString(), List.of());
        } else if (narrowing.domain() == null) {
            return;
        } else if (place.domain() == null) {
            throw domains.missing(call, narrowing.domain());
        } else if (!place.takesPart()) {
            throw Problem.conflict(ZoneEntry.notMember(call, place.domain()));
        } else if (!place.zoneFound()) {
            throw ZoneStore.missing(Objects.requireNonNull(narrowing.zone()), place.zones());
        }
    }
}
