import java.nio.file.Files;
import java.sql.DriverManager;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import tools.jackson.core.type.TypeReference;

/**
 * Measures the quality of MB_Search on {@link SearchSets}, and its speed as a bank grows.
 */
final class Search implements Bench.Benchmark {
    private static final int HITS = 10;
    private static final int ATTEMPTS = 20;
    private static final int PORTION = 100;

    /** Of larger sets only some questions are fitted to. */
    private static final int FITTED = 300;

    private static final int TOKEN_CHARACTERS = 4;

    private static final List<String> MODES = List.of("text", "vector", "hybrid");
    private static final String PLAIN = "BM25";
    private static final String DEFAULT = "by default";
    private static final String DOCUMENT = "conversation.txt";

    /** In which places the memories are that a question needs. */
    private static final class Ranks {
        private final List<Long> took = new ArrayList<>();
        private int questions;
        private int first;
        private int any;
        private int all;
        private double gain;

        void add(List<Integer> found, Map<Integer, Integer> answers, long nanos) {
            took.add(nanos);
            if (answers.isEmpty()) {
                return;
            }
            var grades = found.stream().map(text -> answers.getOrDefault(text, 0)).toList();
            var right = grades.stream().filter(grade -> grade > 0).count();
            questions++;
            first += grades.stream().limit(1).anyMatch(grade -> grade > 0) ? 1 : 0;
            any += right > 0 ? 1 : 0;
            all += right == answers.size() ? 1 : 0;
            gain += gain(grades) / gain(answers.values().stream().sorted(Comparator.reverseOrder()).toList());
        }

        static void head() {
            System.out.printf(
                    "%n%-30s %-7s %9s %6s %6s %6s %7s %7s %7s%n",
                    "set", "mode", "questions", "first", "any@10", "all@10", "nDCG@10", "p50 ms", "p99 ms");
        }

        void print(String set, String mode) {
            var latencies = new Callers.Latencies(took.stream().mapToLong(Long::longValue).sorted().toArray());
            var of = Math.max(1.0, questions);
            System.out.printf(
                    "%-30s %-7s %9d %6.3f %6.3f %6.3f %7.3f %7.2f %7.2f%n",
                    set, mode, questions, first / of, any / of, all / of, gain / of, latencies.millis(0.5), latencies.millis(0.99));
        }
    }

    /** What is returned for a question, and how much of it is right. */
    private static final class Answers {
        private final List<Integer> tokens = new ArrayList<>();
        private int answerable;
        private int hits;
        private int right;
        private int recalled;
        private int abstained;
        private int rightly;
        private final List<Double> answered = new ArrayList<>();
        private final List<Double> unanswered = new ArrayList<>();

        void add(Found found, Map<String, Integer> numbers, Map<Integer, Integer> answers) {
            (answers.isEmpty() ? unanswered : answered).add(found.best());
            add(found.texts(numbers), answers, found.characters());
        }

        /** Prints how many questions without an answer would abstain if the threshold were such that 0.05 of the others did. */
        void printAbstention(String set) {
            if (!unanswered.isEmpty() && !answered.isEmpty()) {
                var threshold = answered.stream().sorted().toList().get(answered.size() / 20);
                var below = unanswered.stream().filter(best -> best < threshold).count();
                System.out.printf("%-30s at the score %.3f, %.3f abstain%n", set, threshold, below / (double) unanswered.size());
            }
        }

        void add(List<Integer> found, Map<Integer, Integer> answers, int characters) {
            var answering = found.stream().filter(answers::containsKey).count();
            tokens.add(characters / TOKEN_CHARACTERS);
            answerable += answers.isEmpty() ? 0 : 1;
            hits += found.size();
            right += (int) answering;
            recalled += answering > 0 ? 1 : 0;
            abstained += found.isEmpty() && !answers.isEmpty() ? 1 : 0;
            rightly += found.isEmpty() && answers.isEmpty() ? 1 : 0;
        }

        static void head() {
            System.out.printf(
                    "%n%-30s %-14s %9s %9s %7s %11s %11s %6s %7s%n",
                    "set", "returned", "questions", "precision", "recall", "abstain: no", "with answer", "hits", "tokens");
        }

        void print(String set, String returned) {
            var unanswerable = tokens.size() - answerable;
            System.out.printf(
                    "%-30s %-14s %9d %9.3f %7.3f %11.3f %11.3f %6.2f %7d%n",
                    set,
                    returned,
                    tokens.size(),
                    right / Math.max(1.0, hits),
                    recalled / Math.max(1.0, answerable),
                    rightly / Math.max(1.0, unanswerable),
                    abstained / Math.max(1.0, answerable),
                    hits / (double) tokens.size(),
                    tokens.stream().sorted().toList().get(tokens.size() / 2));
        }
    }

    /** A set that is being measured. */
    private static final class Measured {
        private final Map<String, Ranks> ranks = new TreeMap<>();
        private final Map<String, Answers> answers = new TreeMap<>();
        private final Abstention abstention = new Abstention();

        void print(String set, boolean isRanks) {
            if (isRanks) {
                ranks.forEach((mode, of) -> of.print(set, mode));
            } else {
                answers.forEach((returned, of) -> of.print(set, returned));
            }
        }
    }

    @Override
    public String words() {
        return "what MB_Search finds, and how fast [--cranfield folder] [--xquad folder] [--locomo folder] [--beam folder] [--sets notes,cranfield,xquad,turns,sessions,beam] [--modes text,vector,hybrid] [--every 1] [--first 0] [--banks 10] [--memories 10000] [--tenant 1000000] [--seconds 10] [--data folder-that-is-kept] [--fit] [--only quality|growth|stores] [--rounds 20]";
    }

    @Override
    public void run(Bench.Options options) throws Exception {
        var only = options.text("only", "quality, growth");
        if (only.contains("stores")) {
            new Stores(options.number("rounds", 20), options.number("seconds", 2)).measure();
            return;
        }
        if (options.arguments().contains("--fit")) {
            fit(options);
            return;
        }
        try (var engine = Engine.startWith(options.text("data"))) {
            var callers = new Callers(engine.url(), engine.key());
            if (only.contains("quality")) {
                find(options, engine, callers);
            }
            if (only.contains("growth")) {
                new SearchGrowth(engine, callers, options.number("seconds", 10)).measure(options.number("memories", 10_000), options.number("tenant", 0));
            }
        }
    }

    private static void find(Bench.Options options, Engine engine, Callers callers) throws Exception {
        var every = options.number("every", 1);
        var modes = List.of(options.text("modes", String.join(",", MODES)).split(","));
        var measured = new LinkedHashMap<String, Measured>();
        var banks = new HashMap<String, Map<String, Integer>>();
        for (var set : SearchSets.read(options).values().stream().flatMap(List::stream).toList()) {
            if (!banks.containsKey(set.bank())) {
                banks.put(set.bank(), store(engine, callers, set));
            }
            try (var plain = new PlainRanking(set.texts())) {
                measure(callers, set, banks.get(set.bank()), plain, modes, options.number("first", 0), every, measured.computeIfAbsent(set.name(), _ -> new Measured()));
            }
        }
        Ranks.head();
        measured.forEach((set, of) -> of.print(set, true));
        Answers.head();
        measured.forEach((set, of) -> of.print(set, false));
        System.out.printf("%nwithout an answer, where 0.05 of those with one abstain:%n");
        measured.forEach((set, of) -> of.answers.get(DEFAULT).printAbstention(set));
        measured.forEach((set, of) -> of.abstention.print(set));
    }

    /** Each question in all modes, one after the other: the model embeds it once. */
    private static void measure(
            Callers callers, SearchSets.Set set, Map<String, Integer> numbers, PlainRanking plain, List<String> modes, int first, int every, Measured measured) throws Exception {
        for (var i = first; i < set.queries().size(); i += every) {
            var query = plain(set.queries().get(i));
            var expected = set.answers().get(i);
            for (var mode : modes) {
                var found = all(callers, set.bank(), query, mode);
                measured.ranks.computeIfAbsent(mode, _ -> new Ranks()).add(found.texts(numbers), expected, found.nanos());
                if (mode.equals("hybrid")) {
                    measured.abstention.add(query, !expected.isEmpty(), found.hits(), plain);
                }
                if (set.conversation() != null) {
                    measured.ranks.computeIfAbsent(mode + "+2", _ -> new Ranks()).add(found.withTurns(numbers), expected, found.nanos());
                }
            }
            var began = System.nanoTime();
            var ranked = plain.best(query, HITS);
            measured.ranks.computeIfAbsent(PLAIN, _ -> new Ranks()).add(ranked, expected, System.nanoTime() - began);
            if (set.conversation() != null) {
                var turns = ranked.stream().flatMap(turn -> Stream.of(turn, turn - 1, turn + 1)).distinct().toList();
                measured.ranks.computeIfAbsent(PLAIN + "+2", _ -> new Ranks()).add(turns, expected, System.nanoTime() - began);
            }
            var answer = search(callers, set.bank(), query, Map.of());
            measured.answers.computeIfAbsent(DEFAULT, _ -> new Answers()).add(answer, numbers, expected);
            for (var most : List.of(1, HITS)) {
                var texts = ranked.stream().limit(most).toList();
                var characters = texts.stream().mapToInt(text -> set.texts().get(text).length()).sum();
                measured.answers.computeIfAbsent(PLAIN + ", " + most, _ -> new Answers()).add(texts, expected, characters);
            }
        }
    }

    /** Fits the score to the even questions of the sets, and measures it on the odd ones. */
    private static void fit(Bench.Options options) throws Exception {
        try (var engine = Engine.startLogging(ScoreFit.LOGGING)) {
            var callers = new Callers(engine.url(), engine.key());
            var fit = new ScoreFit(engine.log());
            var banks = new HashMap<String, Map<String, Integer>>();
            for (var set : SearchSets.read(options).values().stream().flatMap(List::stream).toList()) {
                if (!banks.containsKey(set.bank())) {
                    banks.put(set.bank(), store(engine, callers, set));
                }
                fit.next();
                var step = set.queries().size() > FITTED ? options.number("every", 7) : 1;
                for (var i = 0; i < set.queries().size(); i += step) {
                    var answers = set.answers().get(i);
                    var found = all(callers, set.bank(), plain(set.queries().get(i)), "hybrid").ids();
                    var areAnswers = found.stream().map(id -> answers.containsKey(banks.get(set.bank()).get(id))).toList();
                    fit.add(set.name(), i / step, found, areAnswers, !answers.isEmpty());
                }
            }
            fit.print();
        }
    }

    /** Quotation marks would search for phrases. */
    static String plain(String query) {
        return query.replaceAll("[\"“”„«»]", " ").replaceAll("\\s+", " ").strip();
    }

    /** Returns the numbers of the texts by the ids of their memories, which all have their vectors then. */
    private static Map<String, Integer> store(Engine engine, Callers callers, SearchSets.Set set) throws Exception {
        var bank = set.bank();
        var stored = engine.file(bank + ".numbers");
        if (Files.exists(stored)) { // In an earlier run on the same data.
            return Callers.JSON.readValue(Files.readAllBytes(stored), new TypeReference<Map<String, Integer>>() {});
        }
        callers.call(new Callers.Work("MB_Create", Map.of("vx", Map.of("name", bank))));
        if (set.conversation() != null) {
            load(callers, bank, set.conversation());
        }
        for (var first = 0; set.conversation() == null && first < set.texts().size(); first += PORTION) {
            var texts = set.texts().subList(first, Math.min(set.texts().size(), first + PORTION));
            var lines = texts.stream().map(text -> Callers.JSON.writeValueAsString(Map.of("text", text))).collect(Collectors.joining("\n"));
            callers.call(new Callers.Work("MB_Import", Map.of("target", Map.of("bank", bank), "format", "jsonl", "data", lines)));
        }
        var numbers = numbers(callers, set);
        search(callers, bank, "warm", Map.of()); // Loads the model, and reads the bank into the index.
        awaitVectors(engine);
        Files.write(stored, Callers.JSON.writeValueAsBytes(numbers));
        return numbers;
    }

    private static void load(Callers callers, String bank, String conversation) throws Exception {
        var name = bank + "-" + DOCUMENT;
        callers.call(new Callers.Work("DC_Submit", Map.of("name", name, "text", conversation)));
        while (!callers.call(new Callers.Work("DC_Read", Map.of("id", name))).at("/document/state").asString().equals("accepted")) {
            Thread.sleep(200);
        }
        callers.call(new Callers.Work("MB_Load", Map.of("target", Map.of("bank", bank), "vx", Map.of("name", name))));
    }

    /** Of equal texts the first one counts: they are one memory. */
    private static Map<String, Integer> numbers(Callers callers, SearchSets.Set set) throws Exception {
        var places = new HashMap<String, Integer>();
        for (var i = 0; i < set.texts().size(); i++) {
            places.putIfAbsent(plainText(set.texts().get(i)), i);
        }
        var numbers = new HashMap<String, Integer>();
        var page = new HashMap<String, Object>(Map.of("limit", 100));
        while (true) {
            var read = callers.call(new Callers.Work("MB_Export", Map.of("target", Map.of("bank", set.bank()), "page", page)));
            read.path("content").forEach(memory -> numbers.put(memory.path("id").asString(), places.getOrDefault(plainText(memory.path("text").asString()), -1)));
            if (!read.path("next_cursor").isString()) {
                return numbers;
            }
            page.put("cursor", read.path("next_cursor").asString());
        }
    }

    private static String plainText(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    private static void awaitVectors(Engine engine) throws Exception {
        try (var database = DriverManager.getConnection(engine.jdbcUrl(), engine.user(), engine.password());
                var statement = database.createStatement()) {
            while (true) {
                try (var waiting = statement.executeQuery("SELECT count(*) FROM memory_vector WHERE vectors IS NULL")) {
                    waiting.next();
                    if (waiting.getLong(1) == 0) {
                        return;
                    }
                }
                Thread.sleep(200);
            }
        }
    }

    /**
     * @param turns the ids of turns around the hits
     * @param best the best score
     * @param characters of the whole answer
     */
    private record Found(List<String> ids, List<String> turns, List<Abstention.Hit> hits, String mode, double best, int characters, long nanos) {
        List<Integer> texts(Map<String, Integer> numbers) {
            return ids.stream().map(numbers::get).toList();
        }

        List<Integer> withTurns(Map<String, Integer> numbers) {
            return Stream.concat(ids.stream(), turns.stream()).map(numbers::get).distinct().toList();
        }
    }

    /** Returns the first memories, whatever their scores. */
    private static Found all(Callers callers, String bank, String query, String mode) throws Exception {
        var options = Map.of("page", Map.of("limit", HITS), "mode", mode, "min_score", 0);
        var found = search(callers, bank, query, options);
        for (var more = 0; more < ATTEMPTS && mode.equals("vector") && !found.mode().equals(mode); more++) {
            found = search(callers, bank, query, options); // The model was busy. For the next mode the vector is known.
        }
        if (mode.equals("vector") && !found.mode().equals(mode)) {
            throw new IllegalStateException("the model was busy in each of %d attempts: %s".formatted(1 + ATTEMPTS, query));
        }
        return found;
    }

    private static Found search(Callers callers, String bank, String query, Map<String, ?> more) throws Exception {
        var began = System.nanoTime();
        var found = callers.call(new Callers.Work("MB_Search", in(bank, query, more)));
        var took = System.nanoTime() - began;
        var ids = found.at("/content").valueStream().map(hit -> hit.path("id").asString()).toList();
        var turns = found.at("/content").valueStream().flatMap(hit -> hit.path("around").valueStream()).map(turn -> turn.path("id").asString()).toList();
        var hits = found.at("/content")
                .valueStream()
                .map(hit -> new Abstention.Hit(
                        hit.path("text").asString(hit.path("snippet").asString("")), hit.at("/source/speaker").asString(""), hit.path("score").asDouble()))
                .toList();
        return new Found(ids, turns, hits, found.path("mode").asString(), found.path("best_score").asDouble(), found.toString().length(), took);
    }

    private static Map<String, ?> in(String bank, String content, Map<String, ?> more) {
        var arguments = new HashMap<String, Object>(more);
        arguments.put("target", Map.of("bank", bank));
        arguments.put("content", content);
        return arguments;
    }

    static double gain(List<Integer> grades) {
        var gain = 0.0;
        for (var i = 0; i < Math.min(HITS, grades.size()); i++) {
            gain += grades.get(i) * Math.log(2) / Math.log(i + 2);
        }
        return gain;
    }
}
