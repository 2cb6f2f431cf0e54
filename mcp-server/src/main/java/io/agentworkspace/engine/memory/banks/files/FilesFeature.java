package io.agentworkspace.engine.memory.banks.files;

import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.memory.banks.BankStore;
import io.agentworkspace.engine.memory.banks.MemoryStore;

/** The feature of the files of a memory bank. */
public final class FilesFeature {
    private FilesFeature() {}

    public static Feature of(Db db) {
        var banks = new BankStore(db);
        var files = new FileTools(banks, new MemoryStore(db), new FileStore(db), new FileQueries(db, banks));
        return new Feature().tools(files.tools()).after("MB_Store");
    }
}
