package io.agentworkspace.engine.tools;

import io.agentworkspace.engine.model.Problem;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/** What each tool needs of the things that it is run on, by their kinds. The permission matrix holds this against what the tools do. */
final class Demands {
    private static final Map<String, Map<String, Need>> TABLE = read("""
            AP_Read agent:SEE
            AP_Select agent:SEE
            AP_Add agent:SEE
            AP_Remove agent:SEE
            AP_Chat agent:SEE domain:TAKE_PART zone:TAKE_PART
            AP_LogOn agent:BE
            AP_LogOff agent:SEE
            AP_Update agent:OWN
            AP_Modify agent:OWN
            AP_Destroy agent:OWN
            DM_Create agent:ACT
            DM_Read domain:SEE
            DM_Update domain:OWN
            DM_Destroy domain:OWN
            DM_Invite domain:RUN_OR_OWN_AGENT
            DM_Kick domain:RUN_OR_OWN_AGENT
            DM_Ban domain:RUN
            DM_Unban domain:RUN
            ZN_List domain:SEE
            ZN_Read domain:TAKE_PART zone:TAKE_PART
            ZN_Enter domain:TAKE_PART zone:TAKE_PART
            ZN_Create domain:RUN
            ZN_Destroy domain:RUN zone:RUN
            MB_List agent:ACT
            MB_Create agent:ACT
            MB_Read bank:READ
            MB_AgentList bank:READ
            MB_Permissions bank:READ
            MB_Store bank:APPEND agent:ACT
            MB_Load bank:READ agent:ACT
            MB_Unload bank:SEE agent:ACT
            MB_Update bank:MANAGE
            MB_Censor bank:MANAGE
            MB_Uncensor bank:MANAGE
            MB_Delete bank:MANAGE_OR_OWN_SHARE
            MB_Restore bank:MANAGE_OR_OWN_SHARE
            MB_Destroy bank:OWN
            AK_Usage key:SEE
            AK_Update key:SEE
            AK_Rotate key:SEE
            AK_Revoke key:SEE
            AK_Delete key:SEE
            """);

    private Demands() {}

    private static Map<String, Map<String, Need>> read(String table) {
        var all = new LinkedHashMap<String, Map<String, Need>>();
        table.lines().map(line -> line.split(" ")).forEach(words -> {
            var needs = new LinkedHashMap<String, Need>();
            for (var i = 1; i < words.length; i++) {
                var parts = words[i].split(":");
                needs.put(parts[0], Need.valueOf(parts[1]));
            }
            all.put(words[0], Collections.unmodifiableMap(needs));
        });
        return all;
    }

    /** @throws Problem {@code invalid_field} when the tool is not run on things of this kind */
    static Need of(String tool, String kind) {
        var needs = TABLE.getOrDefault(tool, Map.of());
        var need = needs.get(kind);
        if (need == null) {
            throw Problem.invalid(
                    "target",
                    needs.isEmpty()
                            ? "must be left out: %s is not run on a thing that could be asked about".formatted(tool)
                            : "must be a thing that %s is run on, as kind:name; its kinds are %s"
                                    .formatted(tool, String.join(", ", needs.keySet())));
        }
        return need;
    }
}
