import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.util.QueryBuilder;

/** Plain BM25 over English stems, with the usual constants: what a search has to exceed. */
final class PlainRanking implements AutoCloseable {
    private final Analyzer analyzer = new EnglishAnalyzer();
    private final DirectoryReader reader;
    private final IndexSearcher searcher;

    PlainRanking(List<String> texts) throws IOException {
        var directory = new ByteBuffersDirectory();
        try (var writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
            for (var i = 0; i < texts.size(); i++) {
                var document = new Document();
                document.add(new TextField("text", texts.get(i), Field.Store.NO));
                document.add(new StoredField("number", i));
                writer.addDocument(document);
            }
        }
        reader = DirectoryReader.open(directory);
        searcher = new IndexSearcher(reader);
        searcher.setSimilarity(new BM25Similarity());
    }

    /** Returns the numbers of the best texts. */
    List<Integer> best(String query, int most) throws IOException {
        var words = new QueryBuilder(analyzer).createBooleanQuery("text", query);
        if (words == null) {
            return List.of();
        }
        var fields = searcher.storedFields();
        var found = Arrays.stream(searcher.search(words, most).scoreDocs).mapToInt(each -> each.doc).toArray();
        var best = new ArrayList<Integer>();
        for (var each : found) {
            best.add(fields.document(each).getField("number").numericValue().intValue());
        }
        return best;
    }

    /** Returns the share of the query's words that some texts have, each word weighted by how rare it is. */
    double coverage(String query, List<String> texts) throws IOException {
        var words = stems(query);
        var had = texts.stream().flatMap(text -> stems(text).stream()).collect(Collectors.toSet());
        var all = 0.0;
        var found = 0.0;
        for (var word : words) {
            var frequency = reader.docFreq(new Term("text", word));
            var weight = Math.log(1 + (reader.maxDoc() - frequency + 0.5) / (frequency + 0.5));
            all += weight;
            found += had.contains(word) ? weight : 0;
        }
        return all == 0 ? 0 : found / all;
    }

    private Set<String> stems(String text) {
        var stems = new HashSet<String>();
        try (var tokens = analyzer.tokenStream("text", text)) {
            var word = tokens.addAttribute(CharTermAttribute.class);
            tokens.reset();
            while (tokens.incrementToken()) {
                stems.add(word.toString());
            }
            tokens.end();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return stems;
    }

    /** Returns for each text its BM25, in relation to that of a text which has all words of the query that any text has. */
    double[] shares(String query) throws IOException {
        var shares = new double[reader.maxDoc()];
        var words = new QueryBuilder(analyzer).createBooleanQuery("text", query);
        if (words == null) {
            return shares;
        }
        var most = 0.0;
        for (var word : words instanceof BooleanQuery several ? several.clauses().stream().map(BooleanClause::query).toList() : List.of(words)) {
            var best = searcher.search(word, 1).scoreDocs;
            most += best.length == 0 ? 0 : best[0].score;
        }
        for (var each : searcher.search(words, Math.max(1, reader.maxDoc())).scoreDocs) {
            shares[each.doc] = each.score / most;
        }
        return shares;
    }

    @Override
    public void close() throws IOException {
        reader.close();
        analyzer.close();
    }
}
