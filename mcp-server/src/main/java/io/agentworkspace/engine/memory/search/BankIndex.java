package io.agentworkspace.engine.memory.search;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.ConcurrentMergeScheduler;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NRTCachingDirectory;
import org.apache.lucene.store.NoLockFactory;
import org.apache.lucene.util.BytesRef;
import org.jspecify.annotations.Nullable;

/**
 * The index of one bank: the terms of its memories, on disk. It is a copy that can be made anew at any time, and knows how
 * far it has read the bank's changes. What readers may see, it does not know.
 */
final class BankIndex implements AutoCloseable {
    static final String STEMS = "s";
    static final String WORDS = "w";
    static final String NAME = "n";
    static final String TAG = "t";
    static final String AUTHOR = "a";
    static final String UPDATED = "u";
    static final String ID = "id";
    static final String BANK = "b";
    private static final String LANGUAGE = "l";

    /** Notes are short: their length says little, and a word that comes twice little more than one that comes once. */
    static final BM25Similarity RANKING = new BM25Similarity(0.9f, 0.4f);

    /** A language that fewer than one memory in so many are in is left out: more often it was guessed wrong. */
    private static final int RARE = 20;

    private static final String POSITION = "position";
    private static final String VERSION = "version";
    private static final String SAVED_AT = "saved_at";
    private static final double CACHED_SEGMENT_MB = 2;
    private static final double CACHED_MB = 8;
    private static final double BUFFER_MB = 8;
    private static final FieldType STEM_FIELD = new FieldType();

    static {
        STEM_FIELD.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
        STEM_FIELD.setTokenized(true);
        STEM_FIELD.freeze();
    }

    private final long bank;
    private final Directory directory;
    private final IndexWriter writer;
    private final ReentrantLock lock = new ReentrantLock();

    /** The changes at or after {@link #position} that it has: they are listed again until the position passes them. */
    private final Map<UUID, String> applied = new HashMap<>();

    private volatile DirectoryReader reader;
    private volatile long position;
    private volatile long usedAt;
    private volatile boolean isClosed;
    private boolean isDirty;

    /**
     * A memory as it is now.
     *
     * @param change the transaction that changed it last
     * @param text null if it is gone
     */
    record Entry(
            UUID id,
            String change,
            @Nullable String name,
            @Nullable String text,
            List<String> tags,
            long author,
            Instant updatedAt) {}

    /** A memory that was changed, and the transaction that did it. */
    record Change(UUID id, String change) {}

    /** @param oldest what was saved before is not used */
    BankIndex(long bank, Directory directory, Instant oldest) throws IOException {
        this.bank = bank;
        this.directory = new NRTCachingDirectory(directory, CACHED_SEGMENT_MB, CACHED_MB);
        this.writer = open(oldest);
        this.reader = DirectoryReader.open(writer);
        for (var entry : writer.getLiveCommitData() == null
                ? List.<Map.Entry<String, String>>of()
                : writer.getLiveCommitData()) {
            if (entry.getKey().equals(POSITION)) {
                position = Long.parseLong(entry.getValue());
            }
        }
    }

    /** An index in memory of memories as they once were. */
    static BankIndex ofPast(long bank, List<Entry> entries) throws IOException {
        var index = new BankIndex(bank, new ByteBuffersDirectory(NoLockFactory.INSTANCE), Instant.MIN);
        index.apply(entries);
        index.reached(0);
        return index;
    }

    long bank() {
        return bank;
    }

    private IndexWriter open(Instant oldest) throws IOException {
        var isUsable = false;
        if (DirectoryReader.indexExists(directory)) {
            var saved = DirectoryReader.listCommits(directory).getLast().getUserData();
            isUsable = TextAnalysis.VERSION.equals(saved.get(VERSION))
                    && Instant.parse(saved.getOrDefault(SAVED_AT, Instant.EPOCH.toString()))
                            .isAfter(oldest);
        }
        var scheduler = new ConcurrentMergeScheduler();
        scheduler.setMaxMergesAndThreads(2, 1);
        var config = new IndexWriterConfig()
                .setOpenMode(isUsable ? IndexWriterConfig.OpenMode.APPEND : IndexWriterConfig.OpenMode.CREATE)
                .setSimilarity(RANKING)
                .setRAMBufferSizeMB(BUFFER_MB)
                .setMergeScheduler(scheduler)
                .setCommitOnClose(false);
        return new IndexWriter(directory, config);
    }

    static Term word(String text) {
        return new Term(WORDS, text);
    }

    /** From which transaction on there may be changes that it does not have. */
    long position() {
        return position;
    }

    /** Held while changes are read and applied, by one at a time. */
    ReentrantLock lock() {
        return lock;
    }

    /** Whether it has all of these changes. */
    boolean has(List<Change> changes) {
        for (var change : changes) {
            if (Long.parseLong(change.change()) >= position && !change.change().equals(applied.get(change.id()))) {
                return false;
            }
        }
        return true;
    }

    boolean has(Change change) {
        return change.change().equals(applied.get(change.id()));
    }

    /** Applies changes; {@link #reached} then makes them visible. */
    void apply(List<Entry> entries) throws IOException {
        var isNew = writer.getDocStats().maxDoc == 0;
        var seen = new HashMap<UUID, Boolean>();
        for (var entry : entries) {
            if (entry.text() == null) {
                writer.deleteDocuments(id(entry.id()));
            } else if (isNew && seen.put(entry.id(), true) == null) {
                writer.addDocument(document(entry, entry.text()));
            } else {
                writer.updateDocument(id(entry.id()), document(entry, entry.text()));
            }
            applied.put(entry.id(), entry.change());
            isDirty = true;
        }
    }

    /** It now has every change before this transaction, and those that were applied. */
    void reached(long horizon) throws IOException {
        position = Math.max(position, horizon);
        applied.values().removeIf(change -> Long.parseLong(change) < position);
        var newer = DirectoryReader.openIfChanged(reader, writer, true);
        if (newer != null) {
            var older = reader;
            reader = newer;
            older.decRef();
        }
    }

    private Document document(Entry entry, String text) {
        var whole = entry.name() == null ? text : entry.name() + "\n" + text;
        var language = Language.guess(whole);
        var document = new Document();
        document.add(new StringField(ID, key(entry.id()), Field.Store.NO));
        document.add(new BinaryDocValuesField(ID, key(entry.id())));
        document.add(new NumericDocValuesField(BANK, bank));
        document.add(new Field(STEMS, TextAnalysis.stems(language, whole), STEM_FIELD));
        document.add(new TextField(WORDS, TextAnalysis.exact(whole)));
        if (entry.name() != null) {
            document.add(new TextField(NAME, TextAnalysis.exact(entry.name())));
        }
        entry.tags().forEach(tag -> document.add(new StringField(TAG, tag, Field.Store.NO)));
        document.add(new LongPoint(AUTHOR, entry.author()));
        document.add(new LongPoint(UPDATED, entry.updatedAt().toEpochMilli()));
        document.add(new StringField(LANGUAGE, language.code(), Field.Store.NO));
        return document;
    }

    static BytesRef key(UUID id) {
        var bytes = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits());
        return new BytesRef(bytes.array());
    }

    static UUID id(BytesRef key) {
        var bytes = ByteBuffer.wrap(key.bytes, key.offset, key.length);
        return new UUID(bytes.getLong(), bytes.getLong());
    }

    private static Term id(UUID id) {
        return new Term(ID, key(id));
    }

    /** What it has now, to be released with {@code decRef}. */
    DirectoryReader acquire() {
        usedAt = System.nanoTime();
        while (true) {
            var current = reader;
            if (current.tryIncRef()) {
                return current;
            }
            if (isClosed) {
                throw new IllegalStateException("the index is closed");
            }
        }
    }

    /** The languages of its memories, the most frequent first. */
    static List<Language> languages(IndexReader reader, int most) throws IOException {
        record Count(Language language, long count) {}
        var terms = MultiTerms.getTerms(reader, LANGUAGE);
        if (terms == null) {
            return List.of();
        }
        var counts = new ArrayList<Count>();
        var each = terms.iterator();
        for (var term = each.next(); term != null; term = each.next()) {
            counts.add(new Count(Language.coded(term.utf8ToString()), each.docFreq()));
        }
        var telling = reader.numDocs() / RARE;
        return counts.stream()
                .filter(count -> count.count() > telling)
                .sorted(Comparator.comparingLong(Count::count).reversed())
                .limit(most)
                .map(Count::language)
                .toList();
    }

    long idleNanos() {
        return System.nanoTime() - usedAt;
    }

    /** Writes to disk what it has, so that a later start need not read it again. */
    void save(Instant now) throws IOException {
        lock.lock();
        try {
            if (isDirty && writer.isOpen()) {
                writer.setLiveCommitData(Map.of(
                                POSITION,
                                Long.toString(position),
                                VERSION,
                                TextAnalysis.VERSION,
                                SAVED_AT,
                                now.toString())
                        .entrySet());
                writer.commit();
                isDirty = false;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            reader.decRef();
            writer.close();
            directory.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }
}
