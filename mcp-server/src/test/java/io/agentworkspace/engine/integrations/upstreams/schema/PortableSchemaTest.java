package io.agentworkspace.engine.integrations.upstreams.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.agentworkspace.engine.integrations.upstreams.schema.PortableSchema.Unusable;
import io.agentworkspace.engine.model.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Schemas of others, in the form that the APIs of Anthropic, OpenAI and Gemini take, and the way of arguments back. */
class PortableSchemaTest {
    /** What all three take. Each of them refuses a tool with another word, at least somewhere. */
    private static final Set<String> WORDS = Set.of(
            "type",
            "title",
            "description",
            "properties",
            "required",
            "items",
            "enum",
            "format",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "anyOf",
            "default");

    private static ObjectNode json(String text) {
        return Json.readObject(text.replace('\'', '"').getBytes(StandardCharsets.UTF_8));
    }

    private static PortableSchema portable(String schema) throws Unusable {
        var portable = PortableSchema.of(json(schema));
        assertThat(portable.json().path("type").asString()).isEqualTo("object");
        assertThat(portable.json().has("anyOf")).isFalse();
        check(portable.json());
        return portable;
    }

    private static void check(JsonNode schema) {
        assertThat(schema.propertyNames()).isSubsetOf(WORDS);
        if (schema.has("anyOf")) {
            assertThat(schema.propertyNames()).containsExactly("anyOf");
            assertThat(schema.path("anyOf").size()).isGreaterThan(1);
            schema.path("anyOf").forEach(PortableSchemaTest::check);
            return;
        }
        assertThat(schema.path("type").asString("")).isIn("string", "number", "integer", "boolean", "object", "array");
        if (schema.has("enum")) {
            assertThat(schema.path("type").asString()).isEqualTo("string");
            assertThat(schema.path("enum").valueStream())
                    .isNotEmpty()
                    .allMatch(value -> value.isString() && !value.asString().isEmpty());
        }
        if (schema.has("format")) {
            assertThat(schema.path("format").asString()).isEqualTo("date-time");
        }
        if (schema.path("type").asString().equals("array")) {
            check(schema.path("items"));
        }
        for (var limit : List.of("minimum", "maximum")) {
            assertThat(!schema.has(limit) || schema.path(limit).isNumber()).isTrue();
        }
        var names = schema.path("properties").propertyNames();
        assertThat(names).allMatch(name -> name.matches("[a-zA-Z0-9_.-]{1,64}"));
        schema.path("required").forEach(name -> assertThat(names).contains(name.asString()));
        schema.path("properties").forEach(PortableSchemaTest::check);
        assertThat(!schema.has("default")
                        || schema.path("default").isValueNode()
                                && !schema.path("default").isNull())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'type':['string','null']}                                  | {'type':'string'}
            {'type':['null','string'],'default':null}                   | {'type':'string'}
            {'type':'string','nullable':true}                           | {'type':'string'}
            {'anyOf':[{'type':'string'},{'type':'null'}],'description':'A.','default':null} | {'type':'string','description':'A.'}
            {'oneOf':[{'type':'null'},{'type':'array','items':{'type':'integer'}}]} | {'type':'array','items':{'type':'integer'}}
            {'type':['string','number']}                                | {'anyOf':[{'type':'string'},{'type':'number'}]}
            {'type':['integer','number']}                               | {'type':'number'}
            {'type':'any'}                                              | {'type':'string'}
            {}                                                          | {'type':'string'}
            true                                                        | {'type':'string'}
            {'type':'integer','exclusiveMinimum':0}                     | {'type':'integer','minimum':1}
            {'type':'integer','exclusiveMaximum':10,'minimum':2}        | {'type':'integer','minimum':2,'maximum':9}
            {'type':'number','exclusiveMinimum':0}                      | {'type':'number','minimum':0,'description':'More than 0.'}
            {'type':'number','minimum':0,'exclusiveMinimum':true}       | {'type':'number','minimum':0,'description':'More than 0.'}
            {'type':'integer','maximum':9,'exclusiveMaximum':true}      | {'type':'integer','maximum':8}
            {'type':'integer','minimum':5,'exclusiveMinimum':1}         | {'type':'integer','minimum':5}
            {'type':'number','minimum':0,'exclusiveMinimum':false}      | {'type':'number','minimum':0}
            {'type':'integer','multipleOf':5}                           | {'type':'integer','description':'A multiple of 5.'}
            {'type':'integer','maximum':1e300}                          | {'type':'integer'}
            {'type':'string','format':'uri'}                            | {'type':'string','description':'Format: uri.'}
            {'type':'string','format':'date-time'}                      | {'type':'string','format':'date-time'}
            {'type':'string','pattern':'^a','minLength':1}              | {'type':'string','minLength':1,'description':'Pattern: ^a'}
            {'enum':['a',null,'b']}                                     | {'type':'string','enum':['a','b']}
            {'type':['string','null'],'enum':['a',null],'default':null} | {'type':'string','enum':['a']}
            {'enum':['a','']}                                           | {'type':'string','enum':['a'],'description':'May be empty.'}
            {'type':'integer','enum':[3,1]}                             | {'type':'integer','minimum':1,'maximum':3,'description':'One of 3, 1.'}
            {'enum':['auto',1]}                                         | {'anyOf':[{'type':'string','enum':['auto']},{'type':'integer','description':'Always 1.','minimum':1,'maximum':1}]}
            {'const':'a'}                                               | {'type':'string','enum':['a']}
            {'const':7}                                                 | {'type':'integer','minimum':7,'maximum':7,'description':'Always 7.'}
            {'const':true}                                              | {'type':'boolean','description':'Always true.'}
            {'anyOf':[{'const':'a'},{'const':'b'},{'type':'null'}]}     | {'type':'string','enum':['a','b']}
            {'oneOf':[{'type':'string','enum':['a']},{'type':'boolean'}],'title':'T'} | {'anyOf':[{'type':'string','enum':['a'],'title':'T'},{'type':'boolean','title':'T'}]}
            {'allOf':[{'$ref':'#/$defs/Name'}],'description':'Mine.'}   | {'type':'string','description':'Mine.','maxLength':5}
            {'$ref':'#/definitions/Old'}                                | {'type':'boolean'}
            {'type':'array'}                                            | {'type':'array','items':{'type':'string'}}
            {'type':'array','items':true,'uniqueItems':true}            | {'type':'array','items':{'type':'string'}}
            {'type':'array','items':[{'type':'number'},{'type':'number'}]} | {'type':'array','items':{'type':'number'}}
            {'type':'array','prefixItems':[{'type':'number'},{'type':'string'}]} | {'type':'array','items':{'anyOf':[{'type':'number'},{'type':'string'}]}}
            {'type':'object','additionalProperties':{'type':'string'}}  | {'type':'object'}
            {'type':'object','patternProperties':{'^a':{}}}             | {'type':'object'}
            {'type':'object','properties':{'a':{'type':'string'}},'required':['a','b'],'anyOf':[{'required':['a']}],'if':{},'then':{},'dependentRequired':{'a':['b']}} | {'type':'object','properties':{'a':{'type':'string'}},'required':['a']}
            {'properties':{'up':{'$ref':'#/$defs/Self'}}}               | {'type':'object','properties':{'up':{'type':'object','properties':{'up':{'type':'object'}}}}}
            {'type':'string','const':'a','not':{'const':'b'},'examples':['a'],'deprecated':true,'readOnly':true,'contentEncoding':'base64','$comment':'x','x-own':1} | {'type':'string','enum':['a']}
            {'type':'boolean','default':'yes'}                          | {'type':'boolean'}
            {'type':'integer','default':3,'required':true}              | {'type':'integer','default':3}
            """)
    void aPropertyIsSaidInWordsThatAllTake(String property, String expected) throws Unusable {
        var schema = """
                {'type':'object','properties':{'it':%s},
                 '$defs':{'Name':{'type':'string','maxLength':5},'Self':{'properties':{'up':{'$ref':'#/$defs/Self'}}}},
                 'definitions':{'Old':{'type':'boolean'}}}""".formatted(property);
        assertThat(Json.canonical(portable(schema).json().at("/properties/it")))
                .isEqualTo(Json.canonical(json("{'it':" + expected + "}").get("it")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{'properties':{}}",
                "{'type':['object','null']}",
                "{'$ref':'#/$defs/A','$defs':{'A':{'type':'object'}}}",
                "{'oneOf':[{'type':'object'},{'type':'object','properties':{}}]}"
            })
    void theRootIsAnObject(String schema) throws Unusable {
        assertThat(portable(schema).json()).isEqualTo(json("{'type':'object','properties':{}}"));
    }

    @Test
    void alternativesAtTheRootAreMerged() throws Unusable {
        var portable = portable("""
                {'oneOf':[{'$ref':'#/$defs/A'},{'type':'object','properties':{'kind':{'const':'b'},'y':{'type':'null'}},'required':['kind']}],
                 '$defs':{'A':{'properties':{'kind':{'const':'a'},'x':{'type':'integer'}},'required':['kind','x']}}}""");
        assertThat(portable.json())
                .isEqualTo(
                        json(
                                "{'type':'object','properties':{'kind':{'type':'string','enum':['a','b']},'x':{'type':'integer'}},'required':['kind']}"));
    }

    /** Servers that have one tool for many actions describe each action as an alternative. */
    @ParameterizedTest
    @ValueSource(strings = {"anyOf", "oneOf"})
    void manyAlternativesAreMerged(String how) throws Unusable {
        var branches = IntStream.range(0, 500)
                .mapToObj(i -> "{'properties':{'kind':{'const':'k%d'}},'required':['kind']}".formatted(i))
                .collect(Collectors.joining(","));
        var merged = "{'type':'object','%s':[%s]}".formatted(how, branches);
        for (var kind : List.of(
                portable(merged).json().at("/properties/kind"),
                portable("{'properties':{'it':%s}}".formatted(merged)).json().at("/properties/it/properties/kind"))) {
            assertThat(kind.path("type").asString()).isEqualTo("string");
            assertThat(kind.path("enum").size()).isEqualTo(500);
        }
    }

    @Test
    void aPropertyThatAlternativesDescribeDifferentlyIsEachOfThem() throws Unusable {
        assertThat(portable("""
                {'anyOf':[{'properties':{'x':{'type':'string'}}},{'properties':{'x':{'type':'integer'}}},
                          {'properties':{'x':{'type':'boolean'}}},{'properties':{'x':{'type':'integer'}}}]}""").json().at("/properties/x"))
                .isEqualTo(json("{'anyOf':[{'type':'string'},{'type':'integer'},{'type':'boolean'}]}"));
    }

    /** A reference is part of an address: its letters may be percent-encoded, and what it names may allow everything. */
    @ParameterizedTest
    @ValueSource(strings = {"a~1b", "a%7E1b", "Of[int]", "Of%5Bint%5D", "gr%C3%B6%C3%9Fe", "größe", "a%20b", "any"})
    void referencesLeadToDefinitionsOfAnyName(String reference) throws Unusable {
        var schema = """
                {'properties':{'it':{'$ref':'#/$defs/%s'}},
                 '$defs':{'a/b':{'maxLength':5},'Of[int]':{'maxLength':5},'größe':{'maxLength':5},'a b':{'maxLength':5},'any':true}}""".formatted(reference);
        assertThat(portable(schema).json().at("/properties/it"))
                .isEqualTo(json(reference.equals("any") ? "{'type':'string'}" : "{'type':'string','maxLength':5}"));
    }

    /** Each server gets the names of its schema, and null where it requires a value that may be null. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'properties':{'a b':{'type':'string'},'a/b':{},'a_b':{}}} | {'a_b':1,'a_b_2':2,'a_b_3':3} | {'a_b':1,'a b':2,'a/b':3}
            {'properties':{'größe':{'type':'array','items':{'properties':{'ü':{}}}}}} | {'gr_e':[{'_':1},{}]} | {'größe':[{'ü':1},{}]}
            {'properties':{'a':{'type':['string','null']}},'required':['a']} | {} | {'a':null}
            {'properties':{'a':{'type':['string','null']}},'required':['a']} | {'a':'x'} | {'a':'x'}
            {'properties':{'a':{'type':['string','null']}},'required':['a']} | {'a':null} | {'a':null}
            {'properties':{'a':{'anyOf':[{'type':'string'},{'type':'null'}]}}} | {} | {}
            {'properties':{'a':{'type':'null'}},'required':['a']} | {} | {'a':null}
            {'properties':{'o':{'anyOf':[{'properties':{'x y':{}}},{'type':'string'}]}}} | {'o':{'x_y':1}} | {'o':{'x y':1}}
            {'properties':{'o':{'properties':{'n?':{'enum':[null,'a']}},'required':['n?']}}} | {'o':{}} | {'o':{'n?':null}}
            {'properties':{'o':{'$ref':'#/$defs/O'}},'$defs':{'O':{'allOf':[{'properties':{'p q':{}}}]}}} | {'o':{'p_q':[1],'z':2}} | {'o':{'p q':[1],'z':2}}
            """)
    void argumentsGoBack(String schema, String arguments, String expected) throws Unusable {
        assertThat(portable(schema).original(json(arguments))).isEqualTo(json(expected));
    }

    @Test
    void namesAreCutAndStayDifferent() throws Unusable {
        var one = "n".repeat(90);
        var portable = portable("{'properties':{'%s1':{},'%s2':{}}}".formatted(one, one));
        var names = List.copyOf(portable.json().path("properties").propertyNames());
        assertThat(names).hasSize(2).allMatch(name -> name.length() <= 64);
        assertThat(portable.original(json("{'%s':2}".formatted(names.getLast())))
                        .has(one + "2"))
                .isTrue();
    }

    /** References multiply: what they would become is counted before it is made. */
    @ParameterizedTest
    @ValueSource(strings = {"properties", "anyOf", "allOf", "items"})
    void referencesThatMultiplyAreRefusedBeforeTheyAreWrittenOut(String how) {
        var levels = IntStream.range(0, 9)
                .mapToObj(level ->
                        "'L%d':%s".formatted(level, twenty(how, "{'$ref':'#/$defs/L%d'}".formatted(level + 1))))
                .collect(Collectors.joining(","));
        var schema =
                "{'type':'object','properties':{'a':{'$ref':'#/$defs/L0'}},'$defs':{%s,'L9':{'properties':{'x':{'type':'string'}}}}}"
                        .formatted(levels);
        if (how.equals("allOf")) { // Each level is the same twenty times.
            isQuick(json(schema));
        } else {
            assertThatThrownBy(() -> PortableSchema.of(json(schema)))
                    .isInstanceOf(Unusable.class)
                    .hasMessageContaining("64 KB");
        }
    }

    private static void isQuick(JsonNode schema) {
        try {
            check(PortableSchema.of(schema).json());
        } catch (Unusable e) {
            assertThat(e).hasMessageContaining("64 KB");
        }
    }

    private static String twenty(String how, String reference) {
        var each = IntStream.range(0, 20);
        return switch (how) {
            case "properties" ->
                each.mapToObj(i -> "'p%d':%s".formatted(i, reference))
                        .collect(Collectors.joining(",", "{'properties':{", "}}"));
            case "items" ->
                each.mapToObj(_ -> reference).collect(Collectors.joining(",", "{'type':'array','items':[", "]}"));
            default -> each.mapToObj(_ -> reference).collect(Collectors.joining(",", "{'" + how + "':[", "]}"));
        };
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {'type':'array'}                                      | describes no object
            {'type':'string'}                                     | describes no object
            {'properties':{'a':{'$ref':'https://evil.example/x'}}} | another document
            {'properties':{'a':{'$ref':'#/nowhere'}}}             | which it does not have
            """)
    void whatCannotBeSaidIsRefusedWithTheReason(String schema, String reason) {
        assertThatThrownBy(() -> PortableSchema.of(json(schema))).hasMessageContaining(reason);
    }

    @Test
    void whatIsTooDeepIsRefused() {
        var deep = "{'properties':{'a':".repeat(28) + "{}" + "}}".repeat(28);
        assertThatThrownBy(() -> PortableSchema.of(json(deep))).hasMessageContaining("levels deep");
    }
}
