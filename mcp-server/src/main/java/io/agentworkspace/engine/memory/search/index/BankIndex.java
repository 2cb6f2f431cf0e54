package io.agentworkspace.engine.memory.search.index;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.agentworkspace.engine.kernel.text.Language;
import io.agentworkspace.engine.kernel.text.TextAnalysis;
import io.agentworkspace.engine.memory.embedding.Vectors;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.problem.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.lucene.document.BinaryDocValuesField;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.FieldType;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.CodecReader;
import org.apache.lucene.index.ConcurrentMergeScheduler;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexOptions;
import org.apache.lucene.index.IndexReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.LogByteSizeMergePolicy;
import org.apache.lucene.index.MultiTerms;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.NRTCachingDirectory;
import org.apache.lucene.store.NoLockFactory;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.IOUtils;
import org.jspecify.annotations.Nullable;

/**
 * The index of one bank: the terms of its memories, on disk. It can be rebuilt at any time, and knows how far it has
 * read the bank's changes. It contains no access rights.
 */
public final class BankIndex implements AutoCloseable {
    public static final String STEMS = "s";
    public static final String WORDS = "w";
    public static final String NAME = "n";
    public static final String TAG = "t";
    public static final String AUTHOR = "a";
    public static final String UPDATED = "u";
    public static final String ID = "id";
    public static final String BANK = "b";
    public static final String VECTORS = "v";
    public static final String SIGNATURES = "g";

    /** Memories whose vectors are not computed yet. */
    public static final Term PENDING = new Term("x", "");

    private static final String LANGUAGE = "l";

    /** Memories are short: their length matters little, and a repeated word counts little more than a single one. */
    public static final BM25Similarity RANKING = new BM25Similarity(0.9f, 0.4f);

    /** A language found in fewer than one of this many memories is left out, since it was probably guessed wrong. */
    private static final int RARE = 20;

    private static final String POSITION = "position";
    private static final String VERSION = "version";
    private static final String EPOCH = "epoch";
    private static final String SAVED_AT = "saved_at";
    private static final double CACHED_SEGMENT_MB = 0.5;
    private static final double CACHED_MB = 1;
    private static final double BUFFER_MB = 8;
    private static final FieldType STEM_FIELD = new FieldType();

    static {
        STEM_FIELD.setIndexOptions(IndexOptions.DOCS_AND_FREQS);
        STEM_FIELD.setTokenized(true);
        STEM_FIELD.freeze();
    }

    private final long bank;
    private final String version;
    private final Directory directory;
    private final IndexWriter writer;
    private final ReentrantLock lock = new ReentrantLock();

    /** The applied changes at or after {@link #position}. They are listed again until the position passes them. */
    private final Set<IndexChange> applied = ConcurrentHashMap.newKeySet();

    /** The changes that {@link #reached} will make visible. */
    private final List<IndexChange> written = new ArrayList<>();

    private volatile DirectoryReader reader;
    private volatile long position;
    private volatile long epoch;
    private volatile long usedAt;
    private volatile long searchedAt = System.nanoTime() - TimeUnit.DAYS.toNanos(1);
    private volatile boolean isClosed;
    private boolean isDirty;

    /**
     * A memory in its current state.
     *
     * @param change the transaction that changed it last
     * @param text null if it is deleted
     * @param vectors those of the current model; null if there are none yet
     * @param hiding what can hide it from readers
     */
    public record IndexedMemory(
            UUID id,
            String change,
            @Nullable String name,
            @Nullable String text,
            List<String> tags,
            long author,
            Instant updatedAt,
            byte @Nullable [] vectors,
            @JsonUnwrapped Hiding hiding) {
        /** A memory that nothing hides. */
        public IndexedMemory(
                UUID id,
                String change,
                @Nullable String name,
                @Nullable String text,
                List<String> tags,
                long author,
                Instant updatedAt,
                byte @Nullable [] vectors) {
            this(id, change, name, text, tags, author, updatedAt, vectors, Hiding.NONE);
        }

        public IndexChange toChange() {
            return new IndexChange(id, change);
        }
    }

    /** A changed memory, and the transaction that changed it. */
    public record IndexChange(UUID id, String change) {
        /** Returns a position before all changes of a transaction. */
        public static IndexChange before(long transaction) {
            return new IndexChange(new UUID(0, 0), Long.toString(transaction));
        }
    }

    /**
     * @param model the model of its vectors; a saved index with vectors of another model is not used
     * @param oldest the time before which saved indexes are not used
     */
    public BankIndex(long bank, Directory directory, String model, Instant oldest) throws IOException {
        this.bank = bank;
        this.version = TextAnalysis.VERSION + "/" + model;
        this.directory = new NRTCachingDirectory(directory, CACHED_SEGMENT_MB, CACHED_MB);
        this.writer = open(oldest);
        this.reader = DirectoryReader.open(writer);
        for (var entry : writer.getLiveCommitData() == null
                ? List.<Map.Entry<String, String>>of()
                : writer.getLiveCommitData()) {
            if (entry.getKey().equals(POSITION)) {
                position = Long.parseLong(entry.getValue());
            } else if (entry.getKey().equals(EPOCH)) {
                epoch = Long.parseLong(entry.getValue());
            }
        }
    }

    /** Returns an index in memory of an earlier state of memories. */
    public static BankIndex ofPast(long bank, List<IndexedMemory> entries) throws IOException {
        var index = new BankIndex(bank, new ByteBuffersDirectory(NoLockFactory.INSTANCE), "", Instant.MIN);
        index.add(entries);
        index.reached(0);
        return index;
    }

    public long bank() {
        return bank;
    }

    /** Returns how many memories it has. */
    public int size() {
        return reader.numDocs();
    }

    private IndexWriter open(Instant oldest) throws IOException {
        var isUsable = false;
        if (DirectoryReader.indexExists(directory)) {
            var saved = DirectoryReader.listCommits(directory).getLast().getUserData();
            isUsable = version.equals(saved.get(VERSION))
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
                .setMergePolicy(new LogByteSizeMergePolicy()) // Keeps the order of memories, whatever was deleted.
                .setCommitOnClose(false);
        return new IndexWriter(directory, config);
    }

    /** Returns the term of a tag, of which the case does not count. */
    public static Term tag(String text) {
        return new Term(TAG, Name.key(Name.normal(text)));
    }

    public static Term word(String text) {
        return new Term(WORDS, text);
    }

    /** Returns the transaction from which on changes may be missing. */
    public long position() {
        return position;
    }

    /** Returns the epoch of its position. */
    public long epoch() {
        return epoch;
    }

    /** Has everything read again if the numbers of changes are of another epoch. The caller holds the lock. */
    void begin(long current) {
        if (epoch != current) {
            epoch = current;
            position = 0;
            applied.clear();
        }
    }

    /** Returns the lock to hold while changes are read and applied. */
    public ReentrantLock lock() {
        return lock;
    }

    /** Waits up to a second until nobody holds the lock. */
    public boolean awaitUnlocked() {
        try {
            if (lock.tryLock(1, TimeUnit.SECONDS)) {
                lock.unlock();
                return true;
            }
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.unavailable();
        }
    }

    /** Returns whether all of these changes are applied. */
    public boolean has(List<IndexChange> changes) {
        for (var change : changes) {
            if (Long.parseLong(change.change()) >= position && !applied.contains(change)) {
                return false;
            }
        }
        return true;
    }

    public boolean has(IndexChange change) {
        return applied.contains(change);
    }

    /** Removes all memories, including those of an unfinished build. */
    public void clear() throws IOException {
        writer.deleteAll();
    }

    /** Adds memories that it does not have, which {@link #reached} makes visible. */
    public void add(List<IndexedMemory> entries) throws IOException {
        touch();
        for (var entry : entries) {
            writer.addDocument(document(entry, Objects.requireNonNull(entry.text())));
        }
        isDirty = true;
    }

    /** Applies changes, which {@link #reached} makes visible. */
    public void apply(List<IndexedMemory> entries) throws IOException {
        touch();
        var seen = new HashSet<UUID>();
        for (var entry : entries) {
            // Its text and its vectors are two changes; both are in either entry.
            if (seen.add(entry.id())) {
                apply(entry);
            }
            written.add(entry.toChange());
            isDirty = true;
        }
    }

    private void apply(IndexedMemory entry) throws IOException {
        if (entry.text() == null) {
            writer.deleteDocuments(id(entry.id()));
        } else {
            writer.updateDocument(id(entry.id()), document(entry, entry.text()));
        }
    }

    /** Records that every change before this transaction is applied, and makes the applied changes visible. */
    public void reached(long horizon) throws IOException {
        var newer = DirectoryReader.openIfChanged(reader, writer, true);
        if (newer != null) {
            var older = reader;
            reader = newer;
            older.decRef();
        }
        // Only now: whoever sees that a change is applied takes the reader without waiting.
        applied.addAll(written);
        written.clear();
        position = Math.max(position, horizon);
        applied.removeIf(change -> Long.parseLong(change.change()) < position);
    }

    private Document document(IndexedMemory entry, String text) {
        var whole = whole(entry.name(), text);
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
        entry.tags().forEach(tag -> document.add(new StringField(TAG, tag(tag).text(), Field.Store.NO)));
        document.add(new LongPoint(AUTHOR, entry.author()));
        document.add(new LongPoint(UPDATED, entry.updatedAt().toEpochMilli()));
        document.add(new StringField(LANGUAGE, language.code(), Field.Store.NO));
        entry.hiding().addTo(document);
        var vectors = entry.vectors();
        if (vectors == null) {
            document.add(new StringField(PENDING.field(), PENDING.text(), Field.Store.NO));
        }
        if (vectors != null && vectors.length > 0) {
            document.add(new BinaryDocValuesField(VECTORS, new BytesRef(vectors)));
            document.add(new BinaryDocValuesField(SIGNATURES, new BytesRef(Vectors.signatures(vectors))));
        }
        return document;
    }

    private static String whole(@Nullable String name, String text) {
        return name == null || name.isEmpty() ? text : name + "\n" + text;
    }

    /** Returns the language in which a memory is analysed. */
    public static Language language(@Nullable String name, String text) {
        return Language.guess(whole(name, text));
    }

    public static BytesRef key(UUID id) {
        var bytes = ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits());
        return new BytesRef(bytes.array());
    }

    public static UUID id(BytesRef key) {
        var bytes = ByteBuffer.wrap(key.bytes, key.offset, key.length);
        return new UUID(bytes.getLong(), bytes.getLong());
    }

    private static Term id(UUID id) {
        return new Term(ID, key(id));
    }

    /** Returns a reader of the current state, for the owner of the index. */
    public DirectoryReader reader() {
        return reader;
    }

    /** Returns a reader of the current state for a search; null if the index is closed. Release it with {@code decRef}. */
    @Nullable
    public DirectoryReader acquire() {
        touch();
        searchedAt = usedAt;
        while (true) {
            var current = reader;
            if (current.tryIncRef()) {
                return current;
            }
            if (isClosed) {
                return null;
            }
        }
    }

    /** Returns the languages of the memories, the most frequent first. */
    public static List<Language> languages(IndexReader reader, int most) throws IOException {
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

    /** It is in use. */
    public void touch() {
        usedAt = System.nanoTime();
    }

    public long idleNanos() {
        return System.nanoTime() - usedAt;
    }

    /** Returns whether it was searched within this time. That it is built is no search. */
    public boolean isSearchedWithin(Duration time) {
        return System.nanoTime() - searchedAt < time.toNanos();
    }

    /** Returns whether it can take changes. After a failed write it cannot. */
    public boolean isWritable() {
        return writer.isOpen();
    }

    /** @throws IOException if a file is damaged */
    public void checkIntegrity() throws IOException {
        for (var part : reader.leaves()) {
            ((CodecReader) part.reader()).checkIntegrity();
        }
    }

    /** Saves the index to disk, so that a later start need not rebuild it. */
    public void save(Instant now) throws IOException {
        lock.lock();
        try {
            if (isDirty && writer.isOpen()) {
                writer.setLiveCommitData(Map.of(
                                POSITION,
                                Long.toString(position),
                                EPOCH,
                                Long.toString(epoch),
                                VERSION,
                                version,
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
            IOUtils.close(reader::decRef, writer, directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            lock.unlock();
        }
    }
}
