package io.agentworkspace.engine.memory.search;

import io.agentworkspace.engine.kernel.text.Language;
import io.agentworkspace.engine.kernel.text.QueryParser;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import io.agentworkspace.engine.kernel.text.TextAnalysis.Term;
import io.agentworkspace.engine.memory.search.index.BankIndex;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.LeafReaderContext;
import org.apache.lucene.index.Terms;
import org.apache.lucene.index.TermsEnum;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.BoostQuery;
import org.apache.lucene.search.DocIdSetIterator;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.MatchNoDocsQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.QueryVisitor;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.ScoreMode;
import org.apache.lucene.search.SynonymQuery;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.Weight;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.StringHelper;

/**
 * A query in the index's terms: one group for each word. Any term of the group stands for the
 * word, in any language of the banks.
 */
final class LexicalQuery {
    /** The maximum number of words that are ranked; of a longer query the rarest. */
    private static final int MOST_GROUPS = 64;

    /** The maximum number of words for which other spellings are looked up, which reads many terms of a large bank. */
    private static final int MOST_MISSPELT = 16;

    private static final int SHORTEST_MISSPELT = 4;
    private static final int LONGEST_MISSPELT = 40;
    private static final int LONG_WORD = 8;
    private static final int SPELLINGS = 8;
    private static final int WORDS_OF_A_PREFIX = 50;
    private static final float DOUBTFUL = 0.5f;
    private static final float EXACT = 0.3f;

    /** So many words may be between two words that follow each other in the query. In the other order they must be next to each other. */
    private static final int BETWEEN = 2;

    /** The score of a word, in relation to its weight: of its stem and of the word itself, each once in the text. */
    private static final double COMPLETE = (1 + EXACT) * 0.55;

    private final List<WordGroup> groups;
    private final Query query;
    private final Query filter;
    private final Query order;

    /**
     * A word of the query.
     *
     * @param word as it was given
     * @param stems the terms that stand for it in the field of stems
     * @param exact the terms in the field of words, which count a little more
     * @param others words that may be meant: other spellings, and words with this prefix
     * @param weight its inverse document frequency
     */
    record WordGroup(String word, Set<String> stems, Set<String> exact, Set<String> others, double weight) {}

    private LexicalQuery(List<WordGroup> groups, Query query, Query filter, Query order) {
        this.groups = groups;
        this.query = query;
        this.filter = filter;
        this.order = order;
    }

    List<WordGroup> groups() {
        return groups;
    }

    Query query() {
        return query;
    }

    /** Returns about the score of a memory with all words of the query. */
    private double bestScore() {
        return COMPLETE * groups.stream().mapToDouble(WordGroup::weight).sum();
    }

    /** Returns about which share of the query's words each of the memories has; more than 1 where it repeats them. */
    Map<Integer, Double> coverages(ScoreDoc[] found) {
        var best = bestScore();
        var coverages = new HashMap<Integer, Double>();
        for (var each : found) {
            coverages.put(each.doc, best == 0 ? 1 : each.score / best);
        }
        return coverages;
    }

    /** Returns the same, where a word counts once, however often the memory repeats it. */
    Map<Integer, Double> breadths(IndexSearcher searcher, ScoreDoc[] found) throws IOException {
        var best = bestScore();
        if (best == 0 || found.length == 0) {
            return coverages(found);
        }
        var documents = Arrays.stream(found).mapToInt(each -> each.doc).sorted().toArray();
        var sums = new double[documents.length];
        for (var group : groups) {
            var ranking = new BooleanQuery.Builder();
            clauses(group, ranking);
            var weight = searcher.createWeight(searcher.rewrite(ranking.build()), ScoreMode.COMPLETE, 1);
            add(weight, COMPLETE * group.weight(), searcher.getLeafContexts(), documents, sums);
        }
        var breadths = new HashMap<Integer, Double>();
        for (var i = 0; i < documents.length; i++) {
            breadths.put(documents[i], sums[i] / best);
        }
        return breadths;
    }

    /** Adds the scores of one word, each at most so much, to the sums of the documents, which are in order. */
    private static void add(Weight weight, double most, List<LeafReaderContext> leaves, int[] documents, double[] sums)
            throws IOException {
        var at = 0;
        for (var leaf : leaves) {
            var end = leaf.docBase + leaf.reader().maxDoc();
            var scorer = weight.scorer(leaf);
            var each = scorer == null ? DocIdSetIterator.empty() : scorer.iterator();
            for (; at < documents.length && documents[at] < end; at++) {
                var document = documents[at] - leaf.docBase;
                if (each.docID() < document) {
                    each.advance(document);
                }
                if (scorer != null && each.docID() == document) {
                    sums[at] += Math.min(most, scorer.score());
                }
            }
        }
    }

    /** Returns the conditions that a memory must fulfil, whatever words it has. */
    Query filter() {
        return filter;
    }

    /** Finds memories in which words follow each other as in the query. */
    Query order() {
        return order;
    }

    /** @param languages those of the banks and of the query */
    static LexicalQuery of(QueryParser.Parsed parsed, IndexSearcher searcher, List<Language> languages)
            throws IOException {
        var groups = new ArrayList<WordGroup>();
        var misspelt = 0;
        for (var entry : words(parsed, languages).entrySet()) {
            var group = group(entry.getKey(), entry.getValue(), searcher);
            var isMisspelt = misspelt < MOST_MISSPELT && isMisspelt(group, searcher);
            groups.add(isMisspelt ? withSpellings(group, searcher) : group);
            misspelt += isMisspelt ? 1 : 0;
        }
        for (var prefix :
                parsed.prefixes().stream().distinct().limit(MOST_GROUPS).toList()) {
            groups.add(beginning(prefix, searcher));
        }
        groups.sort(Comparator.comparingDouble(WordGroup::weight).reversed());
        var used = List.copyOf(groups.subList(0, Math.min(MOST_GROUPS, groups.size())));
        // Words that the analysis does not know, such as punctuation, are in no memory.
        Query all =
                used.isEmpty() && !parsed.isOnlyRestricted() ? MatchNoDocsQuery.INSTANCE : MatchAllDocsQuery.INSTANCE;
        return new LexicalQuery(used, query(parsed, used, all), restricted(parsed, all, Occur.FILTER), order(parsed));
    }

    private static Query order(QueryParser.Parsed parsed) {
        var pairs = new LinkedHashSet<List<String>>();
        for (var run : parsed.runs()) {
            var words = TextAnalysis.exactTerms(run);
            for (var i = 1; i < words.size() && pairs.size() < MOST_GROUPS; i++) {
                pairs.add(List.of(words.get(i - 1).text(), words.get(i).text()));
            }
        }
        var order = new BooleanQuery.Builder();
        pairs.forEach(pair ->
                order.add(new PhraseQuery(BETWEEN, BankIndex.WORDS, pair.getFirst(), pair.getLast()), Occur.SHOULD));
        return order.build();
    }

    /** Returns the words of the query with their stems. Function words count only if there are no others. */
    private static Map<String, Set<String>> words(QueryParser.Parsed parsed, List<Language> languages) {
        var text = parsed.text() + " " + String.join(" ", parsed.phrases());
        var byPlace = new LinkedHashMap<String, Set<String>>();
        var wordAt = new LinkedHashMap<String, String>();
        for (var language : languages) {
            for (Term term : TextAnalysis.stemTerms(language, text)) {
                var place = term.start() + "-" + term.end();
                byPlace.computeIfAbsent(place, _ -> new TreeSet<>()).add(term.text());
                wordAt.putIfAbsent(place, text.substring(term.start(), term.end()));
            }
        }
        var all = new LinkedHashMap<String, Set<String>>();
        byPlace.forEach((place, stems) -> all.merge(wordAt.getOrDefault(place, ""), stems, LexicalQuery::union));
        var own = Language.guess(parsed.meaning()).functionWords();
        var telling = new LinkedHashMap<>(all);
        telling.keySet().removeIf(own::contains);
        return telling.isEmpty() ? all : telling;
    }

    private static Set<String> union(Set<String> one, Set<String> other) {
        var both = new TreeSet<>(one);
        both.addAll(other);
        return both;
    }

    private static WordGroup group(String word, Set<String> stems, IndexSearcher searcher) throws IOException {
        var reader = searcher.getIndexReader();
        var exact = new LinkedHashSet<String>();
        TextAnalysis.exactTerms(word).forEach(term -> exact.add(term.text()));
        return new WordGroup(word, stems, exact, Set.of(), weight(frequency(reader, BankIndex.STEMS, stems), reader));
    }

    /** Returns the group with words that may be meant. */
    private static WordGroup withSpellings(WordGroup group, IndexSearcher searcher) throws IOException {
        var term = BankIndex.word(group.exact().iterator().next());
        var near = new FuzzyQuery(term, group.word().length() < LONG_WORD ? 1 : 2, 1, SPELLINGS, true);
        return new WordGroup(group.word(), group.stems(), group.exact(), terms(near, searcher), group.weight());
    }

    /** Returns whether the word occurs in no memory and may be a misspelling. */
    private static boolean isMisspelt(WordGroup group, IndexSearcher searcher) throws IOException {
        var length = group.word().length();
        return frequency(searcher.getIndexReader(), BankIndex.STEMS, group.stems()) == 0
                && group.exact().size() == 1
                && length >= SHORTEST_MISSPELT
                && length <= LONGEST_MISSPELT
                && group.word().codePoints().allMatch(Character::isAlphabetic);
    }

    private static WordGroup beginning(String prefix, IndexSearcher searcher) throws IOException {
        var folded = TextAnalysis.exactTerms(prefix);
        if (folded.size() != 1) {
            return group(prefix, Set.of(prefix), searcher);
        }
        var reader = searcher.getIndexReader();
        var words = beginningWith(folded.getFirst().text(), reader);
        return new WordGroup(
                prefix + "*", Set.of(), Set.of(), words, weight(frequency(reader, BankIndex.WORDS, words), reader));
    }

    /** Returns whether a word occurs nowhere, but others begin with it. */
    static boolean isBeginning(String word, IndexReader reader) throws IOException {
        var folded = TextAnalysis.exactTerms(word);
        if (folded.size() != 1) {
            return false;
        }
        var term = folded.getFirst().text();
        return reader.docFreq(BankIndex.word(term)) == 0
                && !beginningWith(term, reader).isEmpty();
    }

    /** Returns the first words with this beginning in the order of the alphabet. No others are read, however many there are. */
    private static Set<String> beginningWith(String prefix, IndexReader reader) throws IOException {
        var first = new BytesRef(prefix);
        var found = new TreeSet<BytesRef>();
        for (var leaf : reader.leaves()) {
            var terms = Terms.getTerms(leaf.reader(), BankIndex.WORDS).iterator();
            var status = terms.seekCeil(first);
            for (var i = 0;
                    i < WORDS_OF_A_PREFIX
                            && status != TermsEnum.SeekStatus.END
                            && StringHelper.startsWith(terms.term(), first);
                    i++) {
                found.add(BytesRef.deepCopyOf(terms.term()));
                status = terms.next() == null ? TermsEnum.SeekStatus.END : TermsEnum.SeekStatus.FOUND;
            }
        }
        return found.stream()
                .limit(WORDS_OF_A_PREFIX)
                .map(BytesRef::utf8ToString)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    private static Set<String> terms(Query query, IndexSearcher searcher) throws IOException {
        var found = new LinkedHashSet<String>();
        searcher.rewrite(query).visit(new QueryVisitor() {
            @Override
            public void consumeTerms(Query of, org.apache.lucene.index.Term... terms) {
                for (var term : terms) {
                    found.add(term.text());
                }
            }
        });
        return found;
    }

    private static long frequency(IndexReader reader, String field, Set<String> terms) throws IOException {
        var most = 0L;
        for (var term : terms) {
            most = Math.max(most, reader.docFreq(new org.apache.lucene.index.Term(field, term)));
        }
        return most;
    }

    private static double weight(long frequency, IndexReader reader) {
        return Math.log(1 + (Math.max(0, reader.numDocs() - frequency) + 0.5) / (frequency + 0.5));
    }

    private static Query query(QueryParser.Parsed parsed, List<WordGroup> groups, Query all) {
        var ranking = new BooleanQuery.Builder();
        groups.forEach(group -> clauses(group, ranking));
        return groups.isEmpty()
                ? restricted(parsed, all, Occur.MUST)
                : restricted(parsed, ranking.build(), parsed.phrases().isEmpty() ? Occur.MUST : Occur.SHOULD);
    }

    private static void clauses(WordGroup group, BooleanQuery.Builder ranking) {
        if (!group.stems().isEmpty()) {
            ranking.add(synonyms(BankIndex.STEMS, group.stems()), Occur.SHOULD);
        }
        if (!group.exact().isEmpty()) {
            ranking.add(new BoostQuery(synonyms(BankIndex.WORDS, group.exact()), EXACT), Occur.SHOULD);
        }
        if (!group.others().isEmpty()) {
            ranking.add(new BoostQuery(synonyms(BankIndex.WORDS, group.others()), DOUBTFUL), Occur.SHOULD);
        }
    }

    private static Query restricted(QueryParser.Parsed parsed, Query ranking, Occur occur) {
        var all = new BooleanQuery.Builder().add(ranking, occur);
        parsed.phrases().forEach(phrase -> all.add(phrase(BankIndex.WORDS, phrase), Occur.FILTER));
        parsed.names().forEach(name -> all.add(phrase(BankIndex.NAME, name), Occur.FILTER));
        parsed.excluded().forEach(phrase -> all.add(phrase(BankIndex.WORDS, phrase), Occur.MUST_NOT));
        return all.build();
    }

    private static Query synonyms(String field, Set<String> terms) {
        var query = new SynonymQuery.Builder(field);
        terms.forEach(term -> query.addTerm(new org.apache.lucene.index.Term(field, term)));
        return query.build();
    }

    private static Query phrase(String field, String text) {
        var terms = TextAnalysis.exactTerms(text);
        if (terms.size() == 1) {
            return new TermQuery(
                    new org.apache.lucene.index.Term(field, terms.getFirst().text()));
        }
        var query = new PhraseQuery.Builder();
        terms.forEach(term -> query.add(new org.apache.lucene.index.Term(field, term.text())));
        return query.build();
    }
}
