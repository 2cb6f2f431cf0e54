package io.agentworkspace.engine.identity.keys;

import io.agentworkspace.engine.identity.credentials.DirectoryPurgeStore;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.kernel.feature.Feature;
import io.agentworkspace.engine.model.problem.Name;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.TenantTools;
import io.agentworkspace.engine.model.tool.Tool;
import java.time.Duration;
import java.util.List;
import java.util.function.BiFunction;

/** The feature of API keys. */
public final class KeysFeature {
    private KeysFeature() {}

    /**
     * @param agents finds the agent that a key is bound to
     * @param all all tools, of all features
     * @param installed the tools of upstream servers
     */
    public static Feature of(
            Db db,
            KeyStore keys,
            BiFunction<Call, Name, ? extends BindableAgent> agents,
            List<Tool<?, ?>> all,
            TenantTools installed) {
        var changes = new KeyChangeStore(db);
        var directory = new DirectoryPurgeStore(db);
        var words = new KeyLimitTexts(all, installed);
        return new Feature()
                .tools(new KeyTools(new KeyQueries(db), words).tools())
                .tools(new KeyGrantTools(changes, agents, words).tools())
                .tools(new KeyLifeTools(changes).tools())
                .background(work -> work.every(Duration.ofSeconds(1), "writing the use of keys", keys.use()::flush)
                        .clearing("use of keys", keys.use()::purge)
                        .clearing("directory", directory::purge))
                .metrics(metrics -> metrics.cache("keys", keys.cache()));
    }
}
