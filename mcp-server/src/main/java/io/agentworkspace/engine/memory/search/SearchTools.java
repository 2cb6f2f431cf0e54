package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.banks.BankStore;
import io.agentworkspace.engine.context.Tags;
import io.agentworkspace.engine.context.Targets;
import io.agentworkspace.engine.memory.search.Searcher.Candidate;
import io.agentworkspace.engine.memory.search.Searcher.Result;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The search: MB_Search. */
public final class SearchTools {
    private static final int HITS = 10;
    private static final int TOKENS = 2_000;
    private static final int TOKEN_CHARACTERS = 4;
    private static final int SHORTEST_SNIPPET = 80;

    /** A hit below it lacks most of what the query asks for. */
    private static final double THRESHOLD = 0.35;

    private final BankStore banks;
    private final Searcher searcher;

    public SearchTools(BankStore banks, SearchQueries queries, IndexCache indexes) {
        this.banks = banks;
        this.searcher = new Searcher(queries, indexes);
    }

    record Where(
            @Doc("Default: every bank that you may read.") @Nullable
            Name bank,

            @Doc("Only what this agent stored.") @Nullable Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record Labels(
            @Doc(value = "Only memories with all of these.", max = 20) @Nullable
            List<String> tags) {}

    record Limit(
            @Doc(value = "1–50, default 10.", min = 1, max = 50) @Nullable
            Integer limit) {}

    record Search(
            @Doc(
                    value = "A question or words; \"a phrase\", -without, prefix*, name:… and tag:… restrict.",
                    max = 2_000)
            String content,

            @Doc("Where to look.") @Nullable Where target,
            @Doc("Which memories.") @Nullable Labels vx,

            @Doc("Changed then or later.") @Nullable Instant since,

            @Doc("Changed then or earlier.") @Nullable Instant until,

            @Doc("As they were at this time.") @Nullable Instant asOf,

            @Doc("How much.") @Nullable Limit page,

            @Doc(value = "Tokens of text in all hits, 100–8,000; default 2,000.", min = 100, max = 8_000) @Nullable
            Integer maxTokens) {}

    record Searched(
            @Doc("How many banks.") int banks,
            @Doc("How many memories they have.") long memories) {}

    record Hits(
            @Doc("The hits, best first.") List<Hit> content,

            @Doc("true when no hit is good enough to be an answer; the hits are then the nearest misses.")
            boolean abstain,

            @Doc("The score of the best hit; absent without hits.") @Nullable
            Double bestScore,

            @Doc("What was searched.") Searched searched,
            @Doc("How it was searched: text, by words.") String mode) {}

    public List<Tool<?, ?>> tools() {
        return List.of(search());
    }

    private Tool<Search, Hits> search() {
        return Tool.named("MB_Search")
                .title("Search memories")
                .description("""
                        Finds memories that answer content, best first. If abstain is true, nothing fits: do not use the hits. \
                        Next: MB_Read.""")
                .details("""
                        It searches target.bank, or every bank that you may read. Each hit has its text or the best part of it, its score, \
                        and why it was found. A memory is found as soon as MB_Store has returned. Requires the permission read. \
                        MB_Read with vx.name shows a whole text.""")
                .alsoCalled(
                        "search memory",
                        "look something up",
                        "what do i know about",
                        "find a note",
                        "recall facts",
                        "query knowledge",
                        "semantic search",
                        "rag")
                .needs(Capability.BANK_READ)
                .on(Requirement.OfBank.READ)
                .handledBy(Search.class, Hits.class, this::search);
    }

    private Hits search(Search in, Call call) {
        var where = in.target() == null ? new Where(null, null, null) : in.target();
        var tags = in.vx() == null ? null : Tags.checked(in.vx().tags());
        var page = in.page() == null ? null : in.page().limit();
        var limit = page == null ? HITS : page;
        var scope = searcher.scope(call, where.bank(), where.agent());
        if (where.bank() != null && scope.banks().banks().isEmpty()) {
            throw banks.missing(call, where.bank());
        }
        var found = searcher.search(
                call,
                scope,
                new Searcher.Wanted(
                        in.content(),
                        where.bank(),
                        where.agent(),
                        tags == null ? List.of() : tags,
                        in.since(),
                        in.until(),
                        in.asOf(),
                        limit));
        var best =
                found.candidates().subList(0, Math.min(limit, found.candidates().size()));
        var room = Objects.requireNonNullElse(in.maxTokens(), TOKENS) * TOKEN_CHARACTERS;
        var hits = call.budget().fit(hits(searcher.shown(call, best, in.asOf()), best, found, room));
        var top = hits.stream().mapToDouble(Hit::score).max();
        return new Hits(
                hits,
                top.orElse(0) < THRESHOLD,
                top.isPresent() ? (Double) top.getAsDouble() : null,
                new Searched(found.banks(), found.memories()),
                "text");
    }

    /** Each gets its share of the room; what it does not need is for those after it. */
    private static List<Hit> hits(
            List<SearchQueries.Shown> shown, List<Candidate> candidates, Result found, int characters) {
        var hits = new ArrayList<Hit>();
        var room = characters;
        for (var memory : shown) {
            var share = Math.max(SHORTEST_SNIPPET, room / (shown.size() - hits.size()));
            var candidate = candidates.stream()
                    .filter(each -> each.found().place().equals(memory.place()))
                    .findFirst()
                    .orElseThrow();
            var hit = hit(memory, candidate, found, share);
            room -= Math.min(share, memory.memory().text().length());
            hits.add(hit);
        }
        return hits;
    }

    private static Hit hit(SearchQueries.Shown shown, Candidate candidate, Result found, int share) {
        var memory = shown.memory();
        var name = memory.name() == null ? "" : memory.name();
        var highlights = Highlights.of(found.query(), found.languages(), name, memory.text());
        var part = highlights.part(memory.text(), share);
        return new Hit(
                memory.id(),
                memory.bank(),
                memory.name(),
                part.isWhole() ? part.text() : null,
                part.isWhole() ? null : part.text(),
                rounded(found.query().groups().isEmpty() ? 1 : highlights.support()),
                new Hit.Why(candidate.rank(), highlights.words(), part.highlights()),
                memory.author(),
                memory.source(),
                memory.tags(),
                memory.pinned(),
                memory.revision(),
                memory.createdAt(),
                memory.updatedAt());
    }

    private static double rounded(double score) {
        return Math.round(score * 1_000) / 1_000.0;
    }
}
