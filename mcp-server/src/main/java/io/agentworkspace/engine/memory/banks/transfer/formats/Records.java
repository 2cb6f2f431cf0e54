package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import io.agentworkspace.engine.memory.banks.transfer.source.UniqueNames;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.plan.Limits;
import io.agentworkspace.engine.model.problem.Problem;
import io.agentworkspace.engine.model.text.Excerpt;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.node.ObjectNode;

/** What a file of another product contains: memories, documents, what is refused and what is left out on purpose. */
public final class Records {
    /** Of an export of this engine: it would be current again. */
    static final String SUPERSEDED = "a memory that is superseded or expired was left out";

    /** The maximum number of memories of an import. */
    static final int MOST_MEMORIES = 200_000;

    /** The maximum number of conversations and other documents of an import. */
    static final int MOST_DOCUMENTS = 5_000;

    /** The maximum number of characters of all memories with their names, tags and origins, and of all documents. */
    static final long MOST_CHARACTERS = 32L << 20;

    private final List<ImportedLine> memories = new ArrayList<>();
    private final List<ImportedDocument> documents = new ArrayList<>();
    private final Set<String> documentNames = new HashSet<>();

    /** The place of each document that has an origin. */
    private final Map<String, Integer> origins = new HashMap<>();

    private final UniqueNames names = new UniqueNames();

    private final Reasons refused = new Reasons();
    private final Reasons leftOut = new Reasons();
    private final Instant now;
    private long characters;

    Records(Instant now) {
        this.now = now;
    }

    /** A memory as a line of JSON, and where it was. */
    public record ImportedLine(String memory, Place place) {}

    void memory(MemoryDraft draft) {
        if (draft.text().isEmpty()) {
            leftOut.add("an entry without text was left out", draft.place());
            return;
        }
        draft.checkTime(now);
        if (draft.hasUnclearTime()) {
            leftOut.add(
                    "a time was not understood or is in the future: it is kept in the origin, not as created_at",
                    draft.place());
        }
        for (var rest = draft.text(); !rest.isEmpty(); ) {
            var part = Excerpt.cut(rest, Limits.CONTENT);
            line(named(draft.line(part)), draft.place());
            rest = rest.substring(part.length()).strip();
        }
    }

    /** Adds a line of JSON as it is. */
    void line(ObjectNode memory, Place place) {
        if (memories.size() == MOST_MEMORIES) {
            throw Problem.tooLarge("the import", MOST_MEMORIES + 1L, MOST_MEMORIES, "memories or more");
        }
        var line = Json.text(memory);
        count(line);
        memories.add(new ImportedLine(line, place));
    }

    /** A name that an earlier memory has gets a number. */
    private ObjectNode named(ObjectNode line) {
        var name = line.path("name").asString("");
        return name.isEmpty() ? line : line.put("name", names.of(name));
    }

    /** Adds a document. Of two with one origin, as in two exports of an account, the one with more turns counts. */
    void document(ImportedDocument document) {
        count(document.text());
        if (documents.size() == MOST_DOCUMENTS) {
            throw Problem.tooLarge("the import", MOST_DOCUMENTS + 1L, MOST_DOCUMENTS, "conversations or more");
        }
        var earlier = document.origin() == null ? null : origins.get(document.origin());
        if (earlier == null && documentNames.add(document.name())) {
            if (document.origin() != null) {
                origins.put(document.origin(), documents.size());
            }
            documents.add(document);
            return;
        }
        leftOut.add("a conversation that the file has twice was imported once", document.place());
        if (earlier != null && document.turns() > documents.get(earlier).turns()) {
            documents.set(earlier, document);
        }
    }

    private void count(String text) {
        characters += text.length();
        if (characters > MOST_CHARACTERS) {
            throw Problem.tooLarge(
                    "the memories and conversations of the import", characters, MOST_CHARACTERS, "characters or more");
        }
    }

    void refuse(String note, Place at) {
        refused.add(note, at);
    }

    void leaveOut(String note, Place at) {
        leftOut.add(note, at);
    }

    /** Returns the memories in their order. */
    public List<ImportedLine> memories() {
        return memories;
    }

    public List<ImportedDocument> documents() {
        return documents;
    }

    public Reasons refused() {
        return refused;
    }

    public Reasons leftOut() {
        return leftOut;
    }

    boolean isEmpty() {
        return memories.isEmpty() && documents.isEmpty() && refused.count() == 0;
    }
}
