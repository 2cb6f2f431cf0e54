package io.agentworkspace.engine.memory.documents;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import java.time.Clock;

/** The feature of documents. */
public record DocumentsFeature(DocumentFileStore files, Feature feature) {
    /** @param loaded the memories that a document is loaded into */
    public static DocumentsFeature of(Db db, LoadedMemories loaded, Clock clock) {
        var documents = new DocumentStore(db);
        var files = new DocumentFileStore(db, clock);
        var feature = new Feature()
                .tools(new DocumentTools(new DocumentQueries(db), documents, files, new OriginStore(db, loaded))
                        .tools())
                .tools(new DeleteTool(documents, loaded).tools())
                .background(work -> work.clearing("files", files::purge));
        return new DocumentsFeature(files, feature);
    }
}
