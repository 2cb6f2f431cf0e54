package io.agentworkspace.engine.memory.banks.transfer;

import io.agentworkspace.engine.identity.rules.Rules;
import io.agentworkspace.engine.memory.banks.transfer.exported.MemoryLine;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.model.tool.Call;
import io.agentworkspace.engine.model.tool.Tool;

/** Applies the rules of MB_Store to the lines of an import, since each does what MB_Store does. */
final class StoreRules {
    private final Rules rules;
    private final Tool<?, ?> store;

    /** @param store MB_Store */
    public StoreRules(Rules rules, Tool<?, ?> store) {
        this.rules = rules;
        this.store = store;
    }

    /** @throws io.agentworkspace.engine.model.problem.Problem {@code rule_refused} */
    void check(Call call, String bank, MemoryLine line) {
        var input = Json.object().put("content", line.text());
        input.putObject("target").put("bank", bank);
        var labels = input.putObject("vx");
        if (line.name() != null) {
            labels.put("name", line.name().text());
        }
        line.tags().forEach(labels.putArray("tags")::add);
        rules.checkPart(call, store, input);
    }
}
