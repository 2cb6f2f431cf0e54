package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.context.Tags;
import io.agentworkspace.engine.kernel.context.Targets;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.use.FoundCounts;
import io.agentworkspace.engine.memory.search.SearchParameters.Mode;
import io.agentworkspace.engine.memory.search.SearchResult.ScoredMemory;
import io.agentworkspace.engine.memory.search.time.TimeSpan;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.audit.RequestSource;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Guide;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The search: MB_Search. */
final class SearchTools {
    private static final int HITS = 10;
    private static final int TOKENS = 2_000;
    private static final int TOKEN_CHARACTERS = 4;
    private static final int SHORTEST_SNIPPET = 80;
    private static final int NEAR = 3;
    private static final Duration RETRY = Duration.ofSeconds(5);

    private final BankStore banks;
    private final Searcher searcher;
    private final FoundCounts counts;
    private final Surroundings surroundings;

    public SearchTools(BankStore banks, Searcher searcher, FoundCounts counts, Surroundings surroundings) {
        this.surroundings = surroundings;
        this.banks = banks;
        this.searcher = searcher;
        this.counts = counts;
    }

    record Where(
            @Doc("Default: every readable bank.") @Nullable Name bank,

            @Doc("Only what this agent stored.") @Nullable Name agent,

            @Doc(value = Targets.CONTEXT, max = 64) @Nullable
            String context) {}

    record TagFilter(
            @Doc(value = "With all of these.", max = 20) @Nullable
            List<String> tags) {}

    record Limit(
            @Doc(value = "1–50, default 10.", min = 1, max = 50) @Nullable
            Integer limit) {}

    record SearchRequest(
            @Doc(
                    value = "A question or words; \"a phrase\", -without, prefix*, name:… and tag:… restrict.",
                    max = 2_000)
            String content,

            @Doc("Where to look.") @Nullable Where target,
            @Doc("Which memories.") @Nullable TagFilter vx,

            @Doc("Changed then or later.") @Nullable Instant since,

            @Doc("Changed then or earlier.") @Nullable Instant until,

            @Doc("As they were at this time.") @Nullable Instant asOf,

            @Doc(
                    value = "By words, by meaning, or both (default).",
                    oneOf = {"hybrid", "text", "vector"})
            @Nullable
            String mode,

            @Doc("How many.") @Nullable Limit page,

            @Doc(value = "Tokens of all texts; default 2,000.", min = 100, max = 8_000) @Nullable
            Integer maxTokens,

            @Doc(value = "Least score, 0–1; 0: everything.", max = 1) @Nullable
            Double minScore,

            @Doc(value = "Of the days that the question names; default UTC.", max = 64, rare = true) @Nullable
            String timeZone) {}

    record Searched(
            @Doc("How many banks.") int banks,
            @Doc("How many memories they have.") long memories) {}

    record SearchResponse(
            @Doc("The hits, best first.") List<Hit> content,

            @Doc("true if no memory reaches min_score; content is then empty.")
            boolean abstain,

            @Doc("If abstain is true: at most three memories that come nearest, but probably do not answer.") @Nullable
            List<Hit.Near> near,

            @Doc("The best score of any memory; absent if nothing was found.") @Nullable
            Double bestScore,

            @Doc("How many memories are found by words only as yet; absent if none.") @Nullable
            Long pending,

            @Doc("What was searched.") Searched searched,

            @Doc("The mode of the search: hybrid, text (by words) or vector (by meaning).")
            String mode,

            @Doc("building while an index is being built: its bank was searched by words only. Search again later.")
            @Nullable
            String index,

            @Doc("The time that content names: memories of it score higher, unless since, until or as_of is given.")
            @Nullable
            TimeSpan time) {}

    public List<Tool<?, ?>> tools() {
        return List.of(search());
    }

    private Tool<SearchRequest, SearchResponse> search() {
        return Tool.named("MB_Search")
                .title("Search memories")
                .page(Guide.Page.SEARCH)
                .description("""
                    Finds what was learned, agreed or decided before: memories that answer content, best first. If abstain is true, \
                    none does. MB_Read returns whole memories.\
                    """)
                .details("""
                    It searches target.bank, or every bank that you may read. Each hit has its text or the best part of it, its score, \
                    and why it was found. A memory is found as soon as MB_Store has returned. Requires the permission read. \
                    MB_Read with vx.name shows a whole text.\
                    """)
                .alsoCalled(
                        "what do we know about",
                        "look something up in our notes",
                        "find a fact",
                        "do we have information on",
                        "recall what was agreed",
                        "how did we handle that before",
                        "search memory",
                        "look something up",
                        "what do i know about",
                        "find a note",
                        "recall facts",
                        "query knowledge",
                        "semantic search",
                        "rag")
                .hints(Guide.Hint.WORK, Guide.Hint.ALWAYS_LOAD, Guide.Hint.LARGE_RESULT)
                .needs(Capability.BANK_READ)
                .on(Requirement.OfBank.READ)
                .heavy()
                .handledBy(SearchRequest.class, SearchResponse.class, this::search);
    }

    private SearchResponse search(SearchRequest in, Call call) {
        var where = in.target() == null ? new Where(null, null, null) : in.target();
        var tags = in.vx() == null ? null : Tags.checked(in.vx().tags());
        var page = in.page() == null ? null : in.page().limit();
        var limit = page == null ? HITS : page;
        var request = new SearchParameters(
                in.content(),
                Mode.of(in.mode()),
                where.bank(),
                where.agent(),
                tags == null ? List.of() : tags,
                in.since(),
                in.until(),
                in.asOf(),
                limit,
                zone(in.timeZone()));
        var found = searcher.search(call, request)
                .orElseThrow(() -> banks.missing(call, Objects.requireNonNull(where.bank())));
        var best =
                found.best().isEmpty() ? null : (Double) found.best().getFirst().score();
        var least = Objects.requireNonNullElse(in.minScore(), Score.THRESHOLD);
        var answers =
                found.best().stream().filter(each -> each.score() >= least).toList();
        if (answers.isEmpty() && found.unsearched() > 0) {
            throw unsearched(found.unsearched());
        }
        var room = Objects.requireNonNullElse(in.maxTokens(), TOKENS) * TOKEN_CHARACTERS;
        var hits = call.budget()
                .fit(
                        in.asOf() == null
                                ? withTurns(
                                        call,
                                        new Surroundings.Bounds(found.authors(), in.since(), in.until()),
                                        answers,
                                        room)
                                : hits(answers, room));
        if (in.asOf() == null && !isLookingAround(call)) { // What was right at an earlier time says nothing about now.
            answers.stream()
                    .limit(hits.size())
                    .filter(each -> each.score() >= Score.THRESHOLD)
                    .forEach(each -> count(call, each));
        }
        return new SearchResponse(
                hits,
                answers.isEmpty(),
                answers.isEmpty() ? near(found.best()) : null,
                best,
                found.pending() == 0 ? null : found.pending(),
                new Searched(found.banks(), found.memories()),
                found.mode().word(),
                found.isComplete() ? null : "building",
                found.time());
    }

    /** Nothing was found out: what was not compared may have the answer. */
    private static Problem unsearched(int banks) {
        return Problem.unavailable(
                "nothing was found yet, and the index of %s is still being built, of which not everything could be compared; search again in %d seconds"
                        .formatted(banks == 1 ? "one bank" : banks + " banks", RETRY.toSeconds()),
                RETRY);
    }

    private static ZoneId zone(@Nullable String name) {
        try {
            return name == null ? ZoneOffset.UTC : ZoneId.of(name.strip());
        } catch (DateTimeException e) {
            throw Problem.invalid(
                    "time_zone",
                    "must be a name of the IANA time zone database, as Europe/Berlin, or an offset, as +02:00");
        }
    }

    /** Returns whether a person searches in the console: what is looked at there has not been of use to anybody's work. */
    private static boolean isLookingAround(Call call) {
        return call.isByPerson() && RequestSource.REST.equals(call.source().endpoint());
    }

    private void count(Call call, ScoredMemory hit) {
        var place = hit.found().candidate().found().place();
        counts.found(call, place.bank(), place.id(), hit.memory().revision());
    }

    private static List<Hit.Near> near(List<ScoredMemory> found) {
        return found.stream()
                .limit(NEAR)
                .map(each -> Hit.Near.of(each.memory(), each.score()))
                .toList();
    }

    private List<Hit> withTurns(Call call, Surroundings.Bounds bounds, List<ScoredMemory> answers, int characters) {
        var hits = hits(answers, characters);
        var used = hits.stream().mapToInt(Hit::length).sum();
        return surroundings.around(call, bounds, answers, hits, characters - used);
    }

    /** Returns the hits. Each gets its share of the room; what it does not use is for the following ones. */
    private static List<Hit> hits(List<ScoredMemory> found, int characters) {
        var hits = new ArrayList<Hit>();
        var room = characters;
        for (var each : found) {
            var share = Math.max(SHORTEST_SNIPPET, room / (found.size() - hits.size()));
            hits.add(hit(each, share));
            room -= Math.min(share, each.memory().text().length());
        }
        return hits;
    }

    private static Hit hit(ScoredMemory scored, int share) {
        var memory = scored.memory();
        var candidate = scored.found().candidate();
        var highlights = scored.highlights();
        var part = highlights.part(memory.text(), share);
        return new Hit(
                memory.id(),
                memory.bank(),
                memory.name(),
                part.isWhole() ? part.text() : null,
                part.isWhole() ? null : part.text(),
                scored.score(),
                new Hit.Why(
                        rank(candidate.textRank()),
                        rank(candidate.vectorRank()),
                        highlights.words(),
                        part.highlights(),
                        scored.replacedBy()),
                scored.also().isEmpty()
                        ? null
                        : scored.also().stream().map(each -> each.memory().id()).toList(),
                memory.author(),
                memory.source(),
                memory.tags(),
                memory.pinned(),
                memory.revision(),
                memory.createdAt(),
                memory.updatedAt(),
                null);
    }

    private static @Nullable Integer rank(int rank) {
        return rank == 0 ? null : (Integer) rank;
    }
}
