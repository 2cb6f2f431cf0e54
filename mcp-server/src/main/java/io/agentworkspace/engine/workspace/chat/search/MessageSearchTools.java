package io.agentworkspace.engine.workspace.chat.search;

import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.page.Cursor;
import io.agentworkspace.engine.kernel.page.ListSlice;
import io.agentworkspace.engine.kernel.page.Page;
import io.agentworkspace.engine.kernel.text.WordQuery;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement.OfAgent;
import io.agentworkspace.engine.model.access.Requirement.OfDomain;
import io.agentworkspace.engine.model.access.Requirement.OfZone;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import io.agentworkspace.engine.workspace.agents.AgentStore;
import io.agentworkspace.engine.workspace.chat.search.MessageSearchQueries.Match;
import io.agentworkspace.engine.workspace.chat.search.MessageSearchQueries.MessageFilter;
import io.agentworkspace.engine.workspace.chat.search.MessageSearchQueries.Place;
import io.agentworkspace.engine.workspace.chat.search.MessageSearchQueries.Position;
import io.agentworkspace.engine.workspace.domains.DomainStore;
import io.agentworkspace.engine.workspace.domains.ZoneEntry;
import io.agentworkspace.engine.workspace.domains.ZoneStore;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The search of messages: AP_Search. */
final class MessageSearchTools {
    private static final int HITS = 10;
    private static final int TOKENS = 2_000;
    private static final int TOKEN_CHARACTERS = 4;
    private static final int SHORTEST_SNIPPET = 80;

    private final MessageSearchQueries queries;
    private final AgentStore agents;
    private final DomainStore domains;

    public MessageSearchTools(Db db, AgentStore agents, DomainStore domains) {
        this.queries = new MessageSearchQueries(db);
        this.agents = agents;
        this.domains = domains;
    }

    record Where(
            @Doc("Only messages from this agent.") @Nullable Name agent,

            @Doc("Default: all.") @Nullable Name domain,

            @Doc("Default: all.") @Nullable Name zone,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Part(
            @Doc(value = "1–50, default 10.", min = 1, max = 50) @Nullable
            Integer limit,

            @Doc(value = "A next_cursor.", max = 2_000) @Nullable
            String cursor) {}

    record SearchRequest(
            @Doc(value = "Words; \"a phrase\", -without. Empty: all, by time.", max = 2_000) @Nullable
            String content,

            @Doc("Where to look.") @Nullable Where target,

            @Doc("Sent then or later.") @Nullable Instant since,

            @Doc("Sent then or earlier.") @Nullable Instant until,

            @Doc("Which part.") @Nullable Part page,

            @Doc(value = "Tokens of all texts; default 2,000.", min = 100, max = 8_000) @Nullable
            Integer maxTokens) {}

    record SearchResponse(
            @Doc("The hits: those with most words of the query first, and of these the newest.")
            List<MessageHit> content,

            @Doc("Give it as page.cursor for the next page; absent on the last.") @Nullable
            String nextCursor) {}

    public List<Tool<?, ?>> tools() {
        return List.of(search());
    }

    private Tool<SearchRequest, SearchResponse> search() {
        return Tool.named("AP_Search")
                .title("Search messages")
                .description("""
                        Finds earlier messages by words, author or time, and marks none as read. AP_Read or ZN_Read with thread \
                        returns the answers to one.""")
                .details("""
                        A message is found as soon as it was sent. Those with all words come first, newest first; if none has all, those \
                        with most. Case and accents do not matter, and a word* finds all that begin with it. Each hit has its text or the best \
                        part of it. Without content, since or until is required, and the messages of that time are listed, newest \
                        first. With target.zone alone, the domain is the entered one. It finds what AP_Read and ZN_Read show, and marks nothing as read.""")
                .alsoCalled(
                        "what did the agent say yesterday",
                        "find a message",
                        "search the chat",
                        "who said that",
                        "look up an old conversation",
                        "messages of a day",
                        "grep the chat log",
                        "search history")
                .hints(Guide.Hint.WORK)
                .needs(Capability.AGENT_READ)
                .on(OfAgent.SEE, OfDomain.HEAR, OfZone.HEAR)
                .heavy()
                .exampleWithout("target.agent")
                .handledBy(SearchRequest.class, SearchResponse.class, this::search);
    }

    private SearchResponse search(SearchRequest in, Call call) {
        call.checked(OfDomain.HEAR); // The statements check it.
        var content = Objects.requireNonNullElse(in.content(), "");
        if (content.isBlank() && in.since() == null && in.until() == null) {
            throw Problem.invalid("content", "is empty: give words, or since or until to list messages by time");
        }
        if (in.since() != null && in.until() != null && in.since().isAfter(in.until())) {
            throw Problem.invalid("until", "is before since");
        }
        var filter = filter(in, content, call);
        var answer = queries.find(call, filter);
        check(call, filter, answer.place());
        var room = Objects.requireNonNullElse(in.maxTokens(), TOKENS) * TOKEN_CHARACTERS;
        return page(call, filter, answer.matches(), room);
    }

    private MessageFilter filter(SearchRequest in, String content, Call call) {
        var where = in.target() == null ? new Where(null, null, null, null) : in.target();
        var page = in.page() == null ? new Part(null, null) : in.page();
        var domain = where.domain() == null && where.zone() != null ? entered(call) : where.domain();
        var query = WordQuery.parse(content);
        return new MessageFilter(
                query,
                content.isBlank() || !query.asks() && !query.excluded().isEmpty(),
                where.agent(),
                domain,
                where.zone(),
                in.since(),
                in.until(),
                after(page),
                page.limit() == null ? HITS : page.limit());
    }

    private Name entered(Call call) {
        var entered = call.context().domain();
        if (entered == null) {
            throw Problem.noContext("no domain is entered: give target.domain, or enter a zone with ZN_Enter");
        }
        return Name.of(entered.name());
    }

    private void check(Call call, MessageFilter filter, Place place) {
        if (!place.agentFound()) {
            throw agents.missing(call, Objects.requireNonNull(filter.agent()));
        } else if (filter.domain() == null) {
            return;
        } else if (place.domain() == null) {
            throw domains.missing(call, filter.domain());
        } else if (!place.takesPart()) {
            throw Problem.conflict(ZoneEntry.notMember(call, place.domain()));
        } else if (!place.zoneFound()) {
            throw ZoneStore.missing(Objects.requireNonNull(filter.zone()), place.zones());
        }
    }

    /** Each hit gets its share of the room; what it does not use is for the following ones. */
    private static SearchResponse page(Call call, MessageFilter filter, List<Match> matches, int characters) {
        var page = matches.subList(0, Math.min(filter.limit(), matches.size()));
        var hits = new ArrayList<MessageHit>();
        var room = characters;
        for (var each : page) {
            var share = Math.max(SHORTEST_SNIPPET, room / (page.size() - hits.size()));
            hits.add(MessageHit.of(each.message().message(), each.score(), filter.query(), share));
            room -= Math.min(share, each.message().message().text().content().length());
        }
        var slice = ListSlice.of(
                call,
                hits,
                page.size() < matches.size(),
                last -> cursor(page.get(hits.indexOf(last)).position()));
        return new SearchResponse(slice.rows(), slice.nextCursor());
    }

    private static String cursor(Position last) {
        return Cursor.of(
                Boolean.toString(last.isStrict()),
                Long.toString(last.matches()),
                last.at().toString(),
                Long.toString(last.conversation()),
                Long.toString(last.seq()));
    }

    private static @Nullable Position after(Part page) {
        var keys = Page.after(new Page(null, page.cursor()), 5);
        try {
            return keys.isEmpty()
                    ? null
                    : new Position(
                            Boolean.parseBoolean(keys.getFirst()),
                            Long.parseLong(keys.get(1)),
                            Instant.parse(keys.get(2)),
                            Long.parseLong(keys.get(3)),
                            Long.parseLong(keys.get(4)));
        } catch (NumberFormatException | DateTimeException e) {
            throw Cursor.invalid();
        }
    }
}
