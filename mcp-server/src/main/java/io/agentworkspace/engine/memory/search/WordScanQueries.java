package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.access.MemoryVisibility;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.db.SqlTemplate;
import io.agentworkspace.engine.kernel.text.Language;
import io.agentworkspace.engine.kernel.text.QueryParser;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import io.agentworkspace.engine.memory.search.index.BankIndex;
import io.agentworkspace.engine.memory.search.index.IndexQueries;
import io.agentworkspace.engine.memory.search.index.SearchScope;
import io.agentworkspace.engine.model.tool.Call;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.lucene.index.Term;

/** Finds memories by words in the database, while the index of a bank is being built. It reads the latest ones, within limits. */
final class WordScanQueries {
    private static final int CANDIDATES = 100;

    /** The most memories in which whole words are looked for; of the others parts of words are enough. */
    private static final int RANKED = 500;

    private static final int MOST_WORDS = 16;
    private static final int SHORTEST_STEM = 3;

    /** The most memories that one search compares, and bytes of text, in all banks together. */
    private static final int SCANNED = 300_000;

    private static final long SCANNED_BYTES = 128L << 20;

    /** The most bytes of text that candidates have. */
    private static final long BYTES = 2L << 20;

    private static final int MOST_TAGS = 20_000;

    /** The tags of a bank. */
    private static final String TAGS = """
            SELECT DISTINCT t.tag
              FROM (SELECT m.tags
                      FROM memory m
                     WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.deleted_at IS NULL
                     ORDER BY m.change DESC, m.id DESC
                     LIMIT :most_scanned) m
             CROSS JOIN unnest(m.tags) t (tag)
             LIMIT :most_tags
            """;

    private static final String FOUND = SqlTemplate.of("""
            SELECT f.id, '0' AS change, true AS is_there, f.name, f.text, f.tags, f.author_id, f.updated_at,
                   CAST('{}' AS bigint[]) AS contributors, CAST(NULL AS timestamptz) AS expires_at,
                   CAST(NULL AS timestamptz) AS superseded_at, CAST('{}' AS bigint[]) AS superseders, v.vectors
              FROM (SELECT r.*, sum(octet_length(r.text)) OVER (ORDER BY r.words DESC, r.whole DESC, r.updated_at DESC, r.id) AS so_far
                      FROM (SELECT w.*, (SELECT count(*)
                                           FROM unnest(CAST(:whole AS text[])) p (whole)
                                          WHERE w.text ~* p.whole OR w.name ~* p.whole) AS whole
                      FROM (SELECT m.*, (SELECT count(DISTINCT p.word)
                                           FROM unnest(CAST(:words AS bigint[]), CAST(:patterns AS text[])) p (word, pattern)
                                          WHERE m.text LIKE p.pattern OR m.name LIKE p.pattern) AS words
                              FROM bank b
                             CROSS JOIN LATERAL (
                                   SELECT m.*
                                     FROM (SELECT m.*, sum(octet_length(m.text)) OVER (ORDER BY m.change DESC, m.id DESC) AS scanned
                                             FROM (SELECT *
                                                     FROM memory m
                                                    WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.deleted_at IS NULL
                                                    ORDER BY m.change DESC, m.id DESC
                                                    LIMIT :most_scanned) m) m
                                    WHERE m.scanned <= :scanned_bytes
                                      AND (m.text LIKE ANY(CAST(:patterns AS text[])) OR m.name LIKE ANY(CAST(:patterns AS text[])))
                                   OFFSET 0) m
                             WHERE b.tenant_id = :tenant AND b.id = :bank AND b.deleted_at IS NULL
                               AND :tag_count = (SELECT count(DISTINCT t.tag)
                                                  FROM unnest(CAST(:tags AS bigint[]), CAST(:spellings AS text[])) t (tag, spelling)
                                                 WHERE t.spelling = ANY(m.tags))
                               AND (CAST(:authors AS bigint[]) IS NULL OR m.author_id = ANY(CAST(:authors AS bigint[])))
                               AND (CAST(:since AS timestamptz) IS NULL OR m.updated_at >= :since)
                               AND (CAST(:until AS timestamptz) IS NULL OR m.updated_at <= :until)
                               AND {current}
                             ORDER BY words DESC, m.updated_at DESC, m.id
                             LIMIT :most_ranked) w) r
                     ORDER BY r.words DESC, r.whole DESC, r.updated_at DESC, r.id
                     LIMIT :most) f
              LEFT JOIN LATERAL {vectors} v ON true
             WHERE f.so_far - octet_length(f.text) < :most_bytes
            """)
            .with("current", MemoryVisibility.current("m", "b", "COALESCE(CAST(:as_of AS timestamptz), :now)"))
            .with("vectors", IndexQueries.vectors("f"))
            .sql();

    /** Whether a bank has no more than what one search compares. The lengths are read without the texts. */
    private static final String COMPARED_WHOLE = """
            SELECT count(*) <= :most_scanned AND COALESCE(sum(octet_length(m.text)), 0) <= :scanned_bytes AS is_whole
              FROM (SELECT m.text
                      FROM memory m
                     WHERE m.tenant_id = :tenant AND m.bank_id = :bank AND m.deleted_at IS NULL
                     ORDER BY m.change DESC, m.id DESC
                     LIMIT :most_scanned + 1) m
            """;

    private final Db db;
    private final String model;

    /** @param model whose vectors are read */
    public WordScanQueries(Db db, String model) {
        this.db = db;
        this.model = model;
    }

    /** The patterns of the words of a query, each with the number of its word. */
    private record Patterns(List<Long> words, List<String> patterns, List<String> whole) {
        void add(String text) {
            var word = words.isEmpty() ? 0 : words.getLast() + 1;
            var lower = text.toLowerCase(Locale.ROOT);
            var spellings = new LinkedHashSet<>(List.of(
                    text,
                    lower,
                    text.toUpperCase(Locale.ROOT),
                    lower.substring(0, 1).toUpperCase(Locale.ROOT) + lower.substring(1)));
            whole.add("\\m" + text.replaceAll("([^\\p{L}\\p{N}])", "\\\\$1") + "\\M");
            spellings.forEach(each -> {
                words.add(word);
                patterns.add("%" + each.replaceAll("([\\\\%_])", "\\\\$1") + "%");
            });
        }
    }

    /** Returns the memories of a bank that have most words of the query, and that the caller may see. */
    List<BankIndex.IndexedMemory> find(
            Call call, long bank, SearchScope scope, QueryParser.Parsed parsed, SearchParameters request) {
        var banks = scope.unindexed().size();
        var tags = Stream.concat(request.tags().stream(), parsed.tags().stream())
                .map(BankIndex::tag)
                .distinct()
                .toList();
        var spellings = spellings(call, bank, tags, SCANNED / banks);
        var patterns = patterns(parsed);
        return db.sql(call, FOUND)
                .set("bank", bank)
                .set("words", patterns.words())
                .set("patterns", patterns.patterns())
                .set("whole", patterns.whole())
                .set("most_ranked", RANKED)
                .set("tag_count", tags.size())
                .set(
                        "tags",
                        spellings.stream()
                                .map(spelling -> (long) tags.indexOf(BankIndex.tag(spelling)))
                                .toList())
                .set("spellings", spellings)
                .set("authors", scope.banks().authors())
                .set("since", request.since())
                .set("until", request.last())
                .set("as_of", request.asOf())
                .set("model", model)
                .set("most_scanned", SCANNED / banks)
                .set("scanned_bytes", SCANNED_BYTES / banks)
                .set("most", CANDIDATES)
                .set("most_bytes", BYTES)
                .list(IndexQueries::entry);
    }

    /**
     * Returns whether all memories of a bank are compared. Otherwise only the newest are.
     *
     * @param banks how many are searched so
     */
    boolean isWhole(Call call, long bank, int banks) {
        return db.sql(call, COMPARED_WHOLE)
                .set("bank", bank)
                .set("most_scanned", SCANNED / banks)
                .set("scanned_bytes", SCANNED_BYTES / banks)
                .one(row -> row.flag("is_whole"))
                .orElseThrow();
    }

    /** Returns how the wanted tags are written in a bank, since their case does not count. */
    private List<String> spellings(Call call, long bank, List<Term> tags, int scanned) {
        if (tags.isEmpty()) {
            return List.of();
        }
        return db
                .sql(call, TAGS)
                .set("bank", bank)
                .set("most_scanned", scanned)
                .set("most_tags", MOST_TAGS)
                .list(row -> row.text("tag"))
                .stream()
                .filter(tag -> tags.contains(BankIndex.tag(tag)))
                .toList();
    }

    /** Without words every memory fits: the newest are found. */
    private static Patterns patterns(QueryParser.Parsed parsed) {
        var language = Language.guess(parsed.meaning());
        var text = parsed.text() + " " + String.join(" ", parsed.names());
        var words = new LinkedHashSet<String>();
        for (var term : TextAnalysis.stemTerms(language, text)) {
            var word = text.substring(term.start(), term.end());
            if (!language.functionWords().contains(word.toLowerCase(Locale.ROOT))) {
                words.add(common(word, term.text()));
            }
        }
        words.addAll(parsed.prefixes());
        words.addAll(parsed.phrases());
        words.removeIf(String::isBlank);
        var patterns = new Patterns(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        words.stream().limit(MOST_WORDS).forEach(patterns::add);
        if (patterns.words().isEmpty()) {
            patterns.words().add(0L);
            patterns.patterns().add("%");
        }
        return patterns;
    }

    /** Returns the beginning that a word has in common with its stem, so that its other forms are found. */
    private static String common(String word, String stem) {
        var end = 0;
        while (end < Math.min(word.length(), stem.length())
                && Character.toLowerCase(word.charAt(end)) == stem.charAt(end)) {
            end++;
        }
        return end < SHORTEST_STEM ? word : word.substring(0, end);
    }
}
