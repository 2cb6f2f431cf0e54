package io.agentworkspace.engine.calls.runner;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.agentworkspace.engine.model.access.Role;
import io.agentworkspace.engine.model.json.Json;
import io.agentworkspace.engine.testing.ClientApi;
import io.agentworkspace.engine.testing.CommandAddress;
import io.agentworkspace.engine.testing.Refusal;
import io.agentworkspace.engine.testing.TestTenant;
import io.agentworkspace.engine.wire.SendsAnything;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Thousands of valid requests with random changes. Each run sends the same ones. */
@SendsAnything
@Tag("slow")
class FuzzTest {
    private static final int REQUESTS = 1_500;
    private static final long SEED = 20_261_120;

    private static final List<String> VALID = List.of(
            "AP_Create {'vx':{'name':'Ada','description':'d','profile':'p','access':'public'},'idempotency_key':'k'}",
            "AP_Modify {'target':{'agent':'Ada','context':'c'},'vx':{'description':'e'},'if_revision':1}",
            "AP_Update {'target':{'agent':'Ada','user':'ann'},'vx':{'name':'Ada','description':'d'}}",
            "AP_Read {'target':{'agent':'Ada'},'page':{'limit':5}}",
            "AP_List {'target':{'agent':'A'},'page':{'limit':2,'cursor':'YWRh'}}",
            "AP_LogOn {'target':{'agent':'Ada'},'page':{'limit':3}}",
            "AP_Chat {'target':{'agent':'Ada'},'content':'hello','reply_to':'00000000-0000-0000-0000-000000000000'}",
            "AP_Chat {'target':{'domain':'Den','zone':'main'},'content':'hello'}",
            "DM_Create {'target':{'agent':'Ada'},'vx':{'name':'Den','description':'d','profile':'p','access':'domain'}}",
            "DM_Invite {'target':{'domain':'Den','agent':'Ada'}}",
            "DM_Read {'target':{'domain':'Den'},'page':{'limit':5}}",
            "ZN_Create {'target':{'domain':'Den'},'vx':{'name':'side','description':'d'}}",
            "ZN_Enter {'target':{'domain':'Den','zone':'side'}}",
            "MB_Create {'vx':{'name':'Box','description':'d','access':'bank'}}",
            "MB_Store {'target':{'bank':'Box'},'content':'text','vx':{'name':'one','tags':['a','b']},'if_revision':0}",
            "MB_Read {'target':{'bank':'Box'},'vx':{'name':'one'},'page':{'limit':5}}",
            "MB_Permissions {'target':{'bank':'Box','agent':'Ada'},'vx':{'access':'read'}}",
            "MB_Load {'target':{'agent':'Ada'},'vx':{'name':'Box'}}",
            "AK_Create {'name':'k','capabilities':['agent:read'],'toolset':['agent'],'expires_at':'2099-01-01T00:00:00Z','parent':''}",
            "AK_Update {'id':'000000000000','name':'k','capabilities':['*'],'expires_in_seconds':60,'confirm_destructive':true}",
            "AK_List {'page':{'limit':2,'cursor':'YWRh'},'target':{'user':'ann'}}",
            "WH_Create {'url':'http://127.0.0.1:1/x','events':['webhook.test'],'description':'d','enabled':true}",
            "WH_Update {'id':'00000000-0000-0000-0000-000000000000','events':['*'],'enabled':false,'if_revision':1}",
            "WH_Test {'event_type':'webhook.test','data':{'a':[1,{'b':'x'}]},'endpoint_id':''}",
            "WH_Deliveries {'state':'failed','type':'webhook.test','page':{'limit':2,'cursor':'YWRh'}}",
            "WH_RedeliverFailed {'id':'x','since':'2026-01-01T00:00:00Z','cursor':'YWRh'}",
            "WH_Feed {'after':0,'limit':5}",
            "DC_List {'state':'queued','name':'a.txt','prefix':'a','newest':true,'page':{'limit':2,'cursor':'YWRh'}}",
            "DC_Submit {'name':'a.txt','media_type':'text/plain','text':'Some words.'}",
            "DC_Submit {'name':'b.txt','base64':'U29tZSBvdGhlciB3b3Jkcy4=','sha256':''}",
            "DC_Read {'id':'a.txt','version':1,'part':'text','page':{'cursor':'YWRh'}}",
            "DC_Queue {'page':{'limit':2,'cursor':'YWRh'}}",
            "DC_Validate {'id':'a.txt'}",
            "DC_Delete {'id':'b.txt','memories':'keep','dry_run':true}",
            "MB_Load {'target':{'bank':'Box'},'vx':{'name':'a.txt'}}",
            "RL_Templates {}",
            "RL_List {'page':{'limit':2,'cursor':'YWRh'}}",
            "RL_Create {'name':'r','description':'d','applies_to':['SK_Add','documents'],'when':'content.contains(vx.name)','effect':'deny','message':'m','enabled':true,'priority':1,'mode':'shadow','examples':[{'request':{'service':'SK_Add'},'expected':'passes'}]}",
            "RL_Create {'name':'t','template':'block-words','parameters':{'words':['never']},'mode':'shadow'}",
            "RL_Update {'id':'00000000-0000-0000-0000-000000000000','when':'true','priority':-1,'if_revision':1}",
            "RL_Check {'when':'target.bank == vx.name','applies_to':['bank'],'request':{'service':'MB_Store','target':{'bank':'Box'},'vx':{'tags':['a']},'now':'2026-01-01T00:00:00Z'},'replay':{'days':2}}",
            "RL_Delete {'id':'00000000-0000-0000-0000-000000000000'}",
            "US_Read {}");

    private static final List<String> NASTY = List.of(
            "null",
            "0",
            "-1",
            "9223372036854775807",
            "9223372036854775808",
            "1e309",
            "0.1",
            "true",
            "[]",
            "{}",
            "[[]]",
            "''",
            "' '",
            "'\\u0000'",
            "'\\ud800'",
            "'\\udfff\\ud800'",
            "'😀'",
            "'\\u202e'",
            "'%s'",
            "'{}'",
            "'../..'",
            "'x\\ny'",
            "'; DROP TABLE agent; --'",
            "'main'",
            "'default'",
            "'AP_List'",
            "'none'",
            "'ada'",
            "'den'",
            "'box'");

    @ParameterizedTest
    @EnumSource(ClientApi.class)
    void noChangedRequestMakesADefect(ClientApi api) {
        var tenant = new TestTenant();
        var keys = Arrays.stream(Role.values())
                .map(role -> tenant.key(ClientApi.REST, role.word(), role, List.of("*")))
                .toList();
        var random = new Random(SEED);
        for (var i = 0; i < REQUESTS; i++) {
            var way = api == ClientApi.MCP
                    ? CommandAddress.MCP
                    : i % 2 == 0 ? CommandAddress.GENERIC : CommandAddress.ALIAS;
            var valid = VALID.get(random.nextInt(VALID.size())).split(" ", 2);
            var tree = Json.readObject(valid[1].replace('\'', '"').getBytes(UTF_8));
            for (var changes = random.nextInt(3); changes > 0; changes--) {
                change(tree, random);
            }
            var body = way.body(valid[0], Json.text(tree)).getBytes(UTF_8);
            var sent = random.nextInt(3) == 0 ? garbled(body, random) : body;
            var got = way.send(keys.get(random.nextInt(keys.size())), valid[0], sent, Map.of());
            if (got.status() != 202) {
                var text = new String(sent, UTF_8);
                Refusal.isDecent(way, got, text.substring(0, Math.min(text.length(), 500)));
            }
        }
    }

    /** Replaces, removes, moves or renames a random value in the tree. */
    private static void change(ObjectNode root, Random random) {
        var places = new ArrayList<ObjectNode>();
        collect(root, places);
        var place = places.get(random.nextInt(places.size()));
        var names = new ArrayList<>(place.propertyNames());
        if (names.isEmpty()) {
            place.set("vx", nasty(random));
            return;
        }
        var name = names.get(random.nextInt(names.size()));
        switch (random.nextInt(6)) {
            case 0 -> place.remove(name);
            case 1 -> place.set(name + "x", place.remove(name));
            case 2 -> root.set(name, place.get(name).deepCopy());
            case 3 -> place.put(name, place.get(name).asString("") + "\u0301\0😀 ".charAt(random.nextInt(5)));
            default -> place.set(name, nasty(random));
        }
    }

    private static JsonNode nasty(Random random) {
        var text = NASTY.get(random.nextInt(NASTY.size()));
        if (random.nextInt(20) == 0) {
            return Json.valueTree("y".repeat(1 << random.nextInt(17)));
        }
        return Json.read(text.replace('\'', '"').getBytes(UTF_8));
    }

    private static void collect(JsonNode node, List<ObjectNode> places) {
        if (node instanceof ObjectNode object) {
            places.add(object);
            object.values().forEach(inner -> collect(inner, places));
        } else if (node instanceof ArrayNode array) {
            array.forEach(inner -> collect(inner, places));
        }
    }

    /** Changes, inserts, repeats or removes a few bytes. */
    private static byte[] garbled(byte[] body, Random random) {
        var bytes = Arrays.copyOf(body, body.length);
        for (var changes = 1 + random.nextInt(3); changes > 0 && bytes.length > 2; changes--) {
            var at = random.nextInt(bytes.length - 1);
            switch (random.nextInt(4)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes = Arrays.copyOf(bytes, at + 1);
                case 2 -> bytes[at] = (byte) "{}[]\",:\\0u-".charAt(random.nextInt(11));
                default -> {
                    var cut = Arrays.copyOfRange(bytes, at, bytes.length);
                    bytes = Arrays.copyOf(bytes, bytes.length + cut.length);
                    System.arraycopy(cut, 0, bytes, bytes.length - cut.length, cut.length);
                }
            }
        }
        return bytes;
    }
}
