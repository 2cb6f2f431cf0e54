package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.scheduling.HeavyWork;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.search.SearchParameters.Mode;
import io.agentworkspace.engine.memory.search.contradictions.Contradictions;
import io.agentworkspace.engine.memory.search.index.CurrentIndexes;
import io.agentworkspace.engine.memory.search.index.SearchScope;
import io.agentworkspace.engine.model.access.Capability;
import io.agentworkspace.engine.model.access.Requirement;
import io.agentworkspace.engine.model.problem.MemoryName;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.schema.Doc;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How well a bank answers known questions: MB_Evaluate. */
final class EvaluateTools {
    private static final int HITS = 10;

    /** Shorter than the time after which clients and proxies usually give up. */
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final int ATTEMPTS = 15;
    private static final Duration RETRY = Duration.ofSeconds(5);

    private final BankStore banks;
    private final Searcher searcher;
    private final CurrentIndexes indexes;
    private final Contradictions contradictions;
    private final Clock clock;

    public EvaluateTools(
            BankStore banks, Searcher searcher, CurrentIndexes indexes, Contradictions contradictions, Clock clock) {
        this.contradictions = contradictions;
        this.banks = banks;
        this.searcher = searcher;
        this.indexes = indexes;
        this.clock = clock;
    }

    /** The searches of one call, and when they must have ended. */
    private record Evaluation(
            EvaluateRequest in, List<Pair> pairs, Call call, SearchScope scope, Instant end, List<Mode> modes) {}

    record BankTarget(@Doc("The bank.") Name bank) {}

    record Pair(
            @Doc(value = "A query.", max = 2_000) String query,

            @Doc(value = "Ids or names that answer it.", max = 20)
            List<MemoryName> expected) {}

    record EvaluateRequest(
            @Doc("Where.") BankTarget target,

            @Doc(value = "1–200.", max = 200) @Nullable List<Pair> pairs,

            @Doc(
                    value = "contradictions: memories that differ in a value.",
                    oneOf = {"search", "contradictions"})
            @Nullable
            String report) {}

    record Figures(
            @Doc("The share of queries whose first hit is expected.")
            double hitAt_1,

            @Doc("The share of queries with an expected memory among the first five hits.")
            double hitAt_5,

            @Doc("The mean of 1 / the rank of the first expected hit.")
            double mrr,

            @Doc("How early the expected memories are among the first ten hits.")
            double ndcgAt_10,

            @Doc("The median time of a search, in milliseconds.")
            double p50Ms,

            @Doc("99 of 100 searches took at most this many milliseconds.")
            double p99Ms,

            @Doc("The queries without an expected memory among the first ten hits.")
            List<String> misses) {}

    record EvaluateResponse(
            @Doc("By words.") @Nullable Figures text,
            @Doc("By meaning.") @Nullable Figures vector,
            @Doc("By both.") @Nullable Figures hybrid,

            @Doc("The report contradictions.") Contradictions.@Nullable Report contradictions) {}

    public List<Tool<?, ?>> tools() {
        return List.of(evaluate());
    }

    private Tool<EvaluateRequest, EvaluateResponse> evaluate() {
        return Tool.named("MB_Evaluate")
                .title("Evaluate the search")
                .description(
                        "Measures how well MB_Search answers known queries in a bank, or reports memories that contradict each other.")
                .details("""
                    For each mode of MB_Search it returns how often the expected memories are found, how early, and how \
                    long the searches took. Without a model of embeddings the mode vector finds nothing. The report contradictions \
                    compares the newest memories by rules: numbers, dates, names, states. It does not see everything, and \
                    can be wrong: read both memories, and store the right one with supersedes. Requires the permission read.\
                    """)
                .alsoCalled(
                        "test the quality of the search",
                        "compare results with expected ones",
                        "is our search any good",
                        "recall and precision",
                        "measure retrieval quality",
                        "benchmark search",
                        "recall test",
                        "find contradictions in our notes",
                        "relevance evaluation")
                .needs(Capability.BANK_READ)
                .on(Requirement.OfBank.READ)
                .heavy()
                .route("POST", "/api/banks/{name}/evaluate", Map.of("target.bank", "name"))
                .example("pairs[].query", "When is low water?")
                .example("pairs[].expected", "tide report")
                .handledBy(EvaluateRequest.class, EvaluateResponse.class, this::evaluate);
    }

    private EvaluateResponse evaluate(EvaluateRequest in, Call call) {
        return "contradictions".equals(in.report()) ? contradictions(in, call) : search(in, call);
    }

    private EvaluateResponse contradictions(EvaluateRequest in, Call call) {
        if (in.pairs() != null) {
            throw Problem.invalid("pairs", "are for the report search; leave them out");
        }
        var bank = in.target().bank();
        var id = indexes.readable(call, bank).orElseThrow(() -> banks.missing(call, bank));
        return new EvaluateResponse(
                null, null, null, contradictions.of(call, id, clock.instant().plus(LIMIT)));
    }

    private EvaluateResponse search(EvaluateRequest in, Call call) {
        var pairs = in.pairs();
        if (pairs == null) {
            throw Problem.missing(List.of("pairs"));
        }
        if (pairs.isEmpty()) {
            throw Problem.invalid("pairs", "must have at least one query");
        }
        if (pairs.stream().anyMatch(pair -> pair.expected().isEmpty())) {
            throw Problem.invalid("pairs", "must name at least one expected memory for each query");
        }
        var bank = in.target().bank();
        try (var scope = indexes.scope(call, bank, null)) {
            if (scope.banks().banks().isEmpty()) {
                throw banks.missing(call, bank);
            }
            if (!scope.unindexed().isEmpty()) {
                throw Problem.unavailable("the search index of this bank is being built; try again shortly", RETRY);
            }
            var modes = searcher.knowsMeanings() ? List.of(Mode.values()) : List.of(Mode.TEXT);
            var evaluation =
                    new Evaluation(in, pairs, call, scope, clock.instant().plus(LIMIT), modes);
            if (modes.contains(Mode.VECTOR)) {
                awaitModel(evaluation);
            }
            var byWords = figures(evaluation, Mode.TEXT);
            if (!modes.contains(Mode.VECTOR)) {
                return new EvaluateResponse(byWords, nothing(pairs), byWords, null);
            }
            return new EvaluateResponse(
                    byWords, figures(evaluation, Mode.VECTOR), figures(evaluation, Mode.HYBRID), null);
        }
    }

    /** Otherwise the first queries would be searched without their meaning, and count as misses. */
    private void awaitModel(Evaluation evaluation) {
        var queries = evaluation.pairs().stream().map(Pair::query).toList();
        for (var attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (searcher.isReadyFor(queries)) {
                return;
            }
            if (clock.instant().isAfter(evaluation.end())) {
                break;
            }
        }
        throw Problem.unavailable("the model that compares meanings is not ready; try again shortly", RETRY);
    }

    /** @param done how many searches have ended */
    private void checkTime(Evaluation evaluation, int done) {
        if (clock.instant().isAfter(evaluation.end())) {
            var pairs = evaluation.pairs().size();
            var fit = Math.max(1, done / evaluation.modes().size());
            throw Problem.invalid(
                    "pairs",
                    "took longer than %d seconds to evaluate: %d of %d searches were done. Send at most %d %s at once, or try again when the engine is less busy"
                            .formatted(
                                    LIMIT.toSeconds(),
                                    done,
                                    pairs * evaluation.modes().size(),
                                    fit,
                                    fit == 1 ? "pair" : "pairs"));
        }
    }

    private static Figures nothing(List<Pair> pairs) {
        return new Figures(0, 0, 0, 0, 0, 0, pairs.stream().map(Pair::query).toList());
    }

    private Figures figures(Evaluation evaluation, Mode mode) {
        var in = evaluation.in();
        var before = evaluation.modes().indexOf(mode) * evaluation.pairs().size();
        var took = new ArrayList<Long>();
        var misses = new ArrayList<String>();
        var first = 0;
        var fifth = 0;
        var reciprocal = 0.0;
        var gain = 0.0;
        for (var pair : evaluation.pairs()) {
            HeavyWork.pass();
            checkTime(evaluation, before + took.size());
            var began = System.nanoTime();
            var places = places(pair, in.target().bank(), evaluation.call(), evaluation.scope(), mode);
            took.add(System.nanoTime() - began);
            var best = places.stream().mapToInt(place -> place).min().orElse(0);
            first += best == 1 ? 1 : 0;
            fifth += best > 0 && best <= 5 ? 1 : 0;
            reciprocal += best == 0 ? 0 : 1.0 / best;
            var most = 0.0;
            for (var place = 1; place <= Math.min(HITS, pair.expected().size()); place++) {
                most += discount(place);
            }
            gain += places.stream().mapToDouble(EvaluateTools::discount).sum() / most;
            if (best == 0) {
                misses.add(pair.query());
            }
        }
        var pairs = (double) evaluation.pairs().size();
        var sorted = took.stream().mapToLong(Long::longValue).sorted().toArray();
        return new Figures(
                rounded(first / pairs),
                rounded(fifth / pairs),
                rounded(reciprocal / pairs),
                rounded(gain / pairs),
                milliseconds(sorted[sorted.length / 2]),
                milliseconds(sorted[(int) Math.min(sorted.length - 1, Math.ceil(sorted.length * 0.99) - 1)]),
                misses);
    }

    /** The places of the expected memories among the first hits, from 1. */
    private List<Integer> places(Pair pair, Name bank, Call call, SearchScope scope, Mode mode) {
        var request =
                new SearchParameters(pair.query(), mode, bank, null, List.of(), null, null, null, HITS, ZoneOffset.UTC);
        var found = searcher.search(call, scope, request);
        if (found.mode() != mode && mode == Mode.VECTOR) {
            return List.of();
        }
        var places = new ArrayList<Integer>();
        for (var i = 0; i < found.best().size(); i++) {
            var memory = found.best().get(i).memory();
            var expected = pair.expected().stream()
                    .anyMatch(each -> each.text().equalsIgnoreCase(memory.id())
                            || each.text().equalsIgnoreCase(memory.name()));
            if (expected) {
                places.add(i + 1);
            }
        }
        return places;
    }

    private static double discount(int place) {
        return Math.log(2) / Math.log(place + 1.0);
    }

    /** Not more exactly: how long a word is looked up would tell whether a hidden memory has it. */
    private static double milliseconds(long nanos) {
        return Math.round(nanos / 1e5) / 10.0;
    }

    private static double rounded(double figure) {
        return Math.round(figure * 1_000) / 1_000.0;
    }
}
