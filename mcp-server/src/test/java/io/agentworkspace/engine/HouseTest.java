package io.agentworkspace.engine;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.agentworkspace.engine.kernel.db.Db;
import io.agentworkspace.engine.testing.Repository;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of {@code docs/dev/house.md} that bytecode shows. */
class HouseTest {
    private static final String ROOT = "io.agentworkspace.engine";
    private static final String MODEL = ROOT + ".model";

    private static final int MOST_IN_A_PACKAGE = 28;

    private static final JavaClasses ENGINE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    private static final DescribedPredicate<JavaClass> OURS = resideInAPackage(ROOT + "..");

    @Test
    void allFloorsAreChecked() {
        assertThat(ENGINE.stream().map(JavaClass::getPackageName).distinct())
                .contains(
                        MODEL + ".tool",
                        ROOT + ".rest",
                        ROOT + ".app",
                        ROOT + ".workspace.agents",
                        ROOT + ".kernel.db",
                        ROOT + ".mcp.endpoint");
    }

    /** The root package contains only the features' packages. */
    @Test
    void theRootPackageIsEmpty() {
        assertThat(ENGINE.stream().filter(type -> type.getPackageName().equals(ROOT)))
                .extracting(JavaClass::getSimpleName)
                .containsOnly("package-info");
    }

    @Test
    void noPackageIsLarge() {
        var sizes = ENGINE.stream()
                .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
                .collect(Collectors.groupingBy(JavaClass::getPackageName, TreeMap::new, Collectors.counting()));
        assertThat(sizes).isNotEmpty().allSatisfy((_, size) -> assertThat(size).isLessThanOrEqualTo(MOST_IN_A_PACKAGE));
    }

    /** SQL is in classes that are named for it, and in a few that the statements of a feature share. */
    @Test
    void onlyStoresKnowTheDatabase() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".kernel.db..")
                .and()
                .haveNameNotMatching(".*(Store|Queries|Rows?)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..", "com.zaxxer..", "org.flywaydb..", "org.postgresql..")
                .check(ENGINE);
    }

    /** Each of them is the store of the one table, or the one column, that its name says. */
    private static final Set<String> SMALL_STORES = Set.of(
            "AgentPresence",
            "EventLog",
            "KeyUse",
            "ListeningTenants",
            "PlanLimits",
            "MasterKeyRotation",
            "SealKeys",
            "Vault",
            "ZoneEntry");

    @Test
    void onlyStoresHaveStatements() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".kernel.db..")
                .and()
                .haveNameNotMatching(".*(Store|Queries|Rows?)(\\$.*)?")
                .and(DescribedPredicate.describe(
                        "are no small stores",
                        type -> !SMALL_STORES.contains(outermost(type).getSimpleName())))
                .should()
                .callMethod(Db.class, "sql", String.class)
                .check(ENGINE);
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(HouseTest::outermost).orElse(type);
    }

    /** The limits are in that package, and CEL is loaded only when the first rule is. */
    @Test
    void onlyRulesKnowCel() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".identity.rules.cel..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.cel..", "com.google.re2j..", "com.google.common..")
                .check(ENGINE);
    }

    /** Loaded at the first scrape, and with the first span: who uses neither pays for neither. */
    @Test
    void onlyMetricsAndTracingKnowTheirLibraries() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".kernel.metrics..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.prometheus..")
                .check(ENGINE);
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".kernel.tracing..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.opentelemetry..")
                .check(ENGINE);
    }

    /** Requests to customers' addresses pass the address check. */
    @Test
    void onlyWebhooksKnowTheHttpClientThatSendsThem() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        ROOT + ".kernel.outbound..",
                        ROOT + ".integrations.webhooks.sender..",
                        ROOT + ".integrations.upstreams.client..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.eclipse.jetty.client..")
                .check(ENGINE);
        noClasses()
                .that()
                .resideInAPackage(ROOT + ".integrations.webhooks..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.net.http..")
                .check(ENGINE);
    }

    /** The OpenAPI document is also served as YAML, which has its own mapper. */
    @Test
    void jsonIsReadAndWrittenInOnePlace() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(MODEL + ".json.Json")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("tools.jackson.databind.json..", "com.fasterxml.jackson.databind..")
                .check(ENGINE);
    }

    @Test
    void onlyMainReadsTheEnvironment() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(ROOT + ".app.Main")
                .and()
                .resideOutsideOfPackage(ROOT + ".examples")
                .should()
                .callMethod(System.class, "getenv")
                .orShould()
                .callMethod(System.class, "getenv", String.class)
                .check(ENGINE);
    }

    @Test
    void onlyTheProcessWritesToStandardOutput() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(ROOT + ".app.Main")
                .and()
                .doNotHaveFullyQualifiedName(ROOT + ".app.AotTraining")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(ENGINE);
    }

    /** Durations may be measured with {@link System#nanoTime}. */
    @Test
    void timeComesFromAClock() {
        noClasses()
                .should()
                .accessTargetWhere(target(
                        "the present time, without a clock",
                        (owner, name, parameters) -> owner.startsWith("java.time.")
                                        && name.equals("now")
                                        && !parameters.contains("java.time.Clock")
                                || owner.equals("java.lang.System") && name.equals("currentTimeMillis")
                                || owner.equals("java.util.Date") && name.equals("<init>") && parameters.isEmpty()
                                || owner.equals("java.util.Calendar") && name.equals("getInstance")))
                .check(ENGINE);
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".app")
                .should()
                .accessTargetWhere(target(
                        "the system's clock",
                        (owner, name, _) -> owner.equals("java.time.Clock") && name.matches("system.*|tick.+")))
                .check(ENGINE);
    }

    /** A condition on a member by its owner's name, its own name, and the names of its parameters' types. */
    @FunctionalInterface
    private interface MemberCondition {
        boolean test(String owner, String name, List<String> parameters);
    }

    private static DescribedPredicate<JavaAccess<?>> target(String description, MemberCondition condition) {
        return DescribedPredicate.describe(description, access -> {
            var parameters = access.getTarget() instanceof CodeUnitAccessTarget called
                    ? called.getRawParameterTypes().stream()
                            .map(JavaClass::getName)
                            .toList()
                    : List.<String>of();
            return condition.test(
                    access.getTargetOwner().getName(), access.getTarget().getName(), parameters);
        });
    }

    /** Wings, features and packages, which are the first part of a package's name below the root, the first two, and all. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, Integer.MAX_VALUE})
    void nothingGoesInCircles(int depth) {
        slices().assignedFrom(new Parts(depth)).should().beFreeOfCycles().check(ENGINE);
    }

    /** Assigns every class to the part of the house that it is in. */
    private record Parts(int depth) implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            var name = type.getPackageName();
            return name.startsWith(ROOT)
                    ? SliceIdentifier.of(Stream.of(name.substring(ROOT.length()).split("\\."))
                            .skip(1)
                            .limit(depth)
                            .collect(Collectors.joining(".")))
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "parts of the house";
        }
    }

    /** Each wing may use those below it: in this list, those in an earlier line. */
    private static final List<Set<String>> WINGS = List.of(
            Set.of("model", "examples"),
            Set.of("rest", "hubs", "skills"),
            Set.of("kernel"),
            Set.of("identity"),
            Set.of("workspace"),
            Set.of("memory"),
            Set.of("integrations"),
            Set.of("calls"),
            Set.of("mcp", "a2a", "web"),
            Set.of("app"));

    /** What the source names, so that constants count, which the compiler copies. */
    @Test
    void arrowsGoDownwards() {
        var named = Pattern.compile(Pattern.quote(ROOT) + "\\.([a-z0-9]+)[.\\w]*;");
        var upwards = new ArrayList<String>();
        for (var source : Repository.sources()) {
            var wings = named.matcher(Repository.text(source))
                    .results()
                    .map(found -> found.group(1))
                    .toList();
            if (wings.isEmpty() || !source.toString().contains("/src/main/")) {
                continue;
            }
            var own = floor(wings.getFirst());
            wings.stream()
                    .filter(wing -> !wing.equals(wings.getFirst()) && floor(wing) >= own)
                    .forEach(wing -> upwards.add(source.getFileName() + " → " + wing));
        }
        assertThat(upwards).isEmpty();
    }

    private static int floor(String wing) {
        return IntStream.range(0, WINGS.size())
                .filter(floor -> WINGS.get(floor).contains(wing))
                .findFirst()
                .orElseThrow(() -> new AssertionError("'%s' is no wing: say where it is".formatted(wing)));
    }

    @Test
    void theGroundFloorStandsAlone() {
        classes()
                .that()
                .resideInAPackage(MODEL + "..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        MODEL + "..",
                        "java..",
                        "org.jspecify..",
                        "tools.jackson..",
                        "com.fasterxml.jackson.annotation..",
                        "org.apache.commons.text..")
                .check(ENGINE);
    }

    /** The demo gets an address and a key, as any client does. */
    @Test
    void theDemoKnowsNothingOfTheEngine() {
        classes()
                .that()
                .resideInAPackage(ROOT + ".examples..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(ROOT + ".examples..", "java..", "org.jspecify..", "tools.jackson..")
                .check(ENGINE);
    }

    @ParameterizedTest
    @ValueSource(strings = {ROOT + ".rest..", ROOT + ".skills..", ROOT + ".hubs.."})
    void siblingsKnowOnlyTheGroundFloor(String sibling) {
        var others = OURS.and(resideOutsideOfPackages(sibling, MODEL + ".."));
        noClasses()
                .that()
                .resideInAPackage(sibling)
                .should()
                .dependOnClassesThat(others.as("a sibling or mcp-server"))
                .check(ENGINE);
    }

    /** The libraries of each module, as the page has them. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            rest   | jakarta.ws.rs.. org.glassfish.jersey.. org.eclipse.jetty.. org.slf4j.. tools.jackson..
            hubs   | com.samskivert.mustache.. org.commonmark.. tools.jackson.databind..
            skills | org.snakeyaml.. org.apache.commons.compress.. tools.jackson.databind..
            """)
    void modulesUseOnlyTheirLibraries(String module, String libraries) {
        var allowed = Stream.concat(
                        Stream.of("java..", "org.jspecify..", MODEL + "..", ROOT + "." + module + ".."),
                        Stream.of(libraries.split(" ")))
                .toArray(String[]::new);
        classes()
                .that()
                .resideInAPackage(ROOT + "." + module + "..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed)
                .check(ENGINE);
    }

    @Test
    void namesSayWhatAThingIs() {
        noClasses()
                .should()
                .haveNameMatching(".*[.$a-z0-9](Impl|Manager|Helper|Util|Utils|Service|Abstract)(?![a-z])[^.]*")
                .orShould()
                .resideInAnyPackage("..util..", "..utils..", "..common..", "..helpers..")
                .check(ENGINE);
    }

    @Test
    void nothingIsMadeToBeExtended() {
        classes()
                .that()
                .areTopLevelClasses()
                .and()
                .areNotInterfaces()
                .and()
                .areNotEnums()
                .and()
                .doNotHaveSimpleName("package-info")
                .should()
                .haveModifier(JavaModifier.FINAL)
                .check(ENGINE);
    }

    /** Tests of a feature are in its package. */
    @Test
    void proofIsOfRacesCrashesAndTenancy() {
        var tests = new ClassFileImporter()
                .importPackages(ROOT + ".proof").stream()
                        .filter(type ->
                                type.isTopLevelClass() && type.getSimpleName().endsWith("Test"))
                        .toList();
        assertThat(tests)
                .isNotEmpty()
                .allSatisfy(type -> assertThat(Stream.of(type.reflect().getAnnotationsByType(Tag.class))
                                .map(Tag::value))
                        .as(type.getSimpleName())
                        .containsAnyOf("race", "crash", "tenancy"));
    }

    @Test
    void everyPackageIsNullMarked() {
        assertThat(ENGINE.stream()
                        .map(JavaClass::getPackageName)
                        .distinct()
                        .filter(name -> !ENGINE.getPackage(name).isAnnotatedWith(NullMarked.class)))
                .as("packages without a package-info.java that has @NullMarked")
                .isEmpty();
    }
}
