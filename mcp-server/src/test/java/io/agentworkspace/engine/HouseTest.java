package io.agentworkspace.engine;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rules of {@code docs/house.md} that bytecode can tell. */
class HouseTest {
    private static final String ROOT = "io.agentworkspace.engine";
    private static final String MODEL = ROOT + ".model";

    /** The modules of floor 2, each a package of its own. */
    private static final List<String> SIBLINGS = List.of(ROOT + ".rest..", ROOT + ".skills..", ROOT + ".hubs..");

    private static final int MOST_IN_A_PACKAGE = 27;

    private static final JavaClasses ENGINE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);

    private static final DescribedPredicate<JavaClass> OURS = resideInAPackage(ROOT + "..");

    private static final DescribedPredicate<JavaClass> SERVER = OURS.and(resideOutsideOfPackages(MODEL + ".."))
            .and(not(resideInAnyPackage(SIBLINGS.toArray(String[]::new))))
            .as("mcp-server");

    @Test
    void allFloorsAreChecked() {
        assertThat(ENGINE.stream().map(JavaClass::getPackageName).distinct())
                .contains(
                        MODEL + ".tool", ROOT + ".rest", ROOT + ".app", ROOT + ".agents", ROOT + ".db", ROOT + ".mcp");
    }

    /** The root package is only the place where the features are. */
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

    /** SQL is in classes that are named for it, and in the few that a feature's statements share. */
    @Test
    void onlyStoresKnowTheDatabase() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".db..")
                .and()
                .haveNameNotMatching(".*(Store|Queries|Rows?)(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.sql..", "javax.sql..", "com.zaxxer..", "org.flywaydb..", "org.postgresql..")
                .check(ENGINE);
    }

    /** Its limits are there, and it is loaded with the first rule only. */
    @Test
    void onlyRulesKnowCel() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".rules.cel..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.cel..", "com.google.re2j..", "com.google.common..")
                .check(ENGINE);
    }

    /** Whoever calls a customer's address goes through what vets it. */
    @Test
    void onlyWebhooksKnowTheHttpClientThatSendsThem() {
        noClasses()
                .that()
                .resideOutsideOfPackage(ROOT + ".webhooks..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.eclipse.jetty.client..")
                .check(ENGINE);
        noClasses()
                .that()
                .resideInAPackage(ROOT + ".webhooks..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.net.http..")
                .check(ENGINE);
    }

    @Test
    void onlyTheProcessKnowsTheMcpEndpoint() {
        noClasses()
                .that()
                .resideOutsideOfPackages(ROOT + ".mcp..", ROOT + ".app")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(ROOT + ".mcp..")
                .check(ENGINE);
    }

    /** The OpenAPI document is also served as YAML, which has a mapper of its own. */
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
                .doNotHaveFullyQualifiedName(ROOT + ".app.Rehearsal")
                .should()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .check(ENGINE);
    }

    @Test
    void timeComesFromAClock() {
        noClasses()
                .should()
                .callMethod(Instant.class, "now")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(ENGINE);
    }

    @Test
    void noPackagesGoInCircles() {
        slices().assignedFrom(new Packages()).should().beFreeOfCycles().check(ENGINE);
    }

    /** Every package by itself, the root too. */
    private static final class Packages implements SliceAssignment {
        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return type.getPackageName().startsWith(ROOT)
                    ? SliceIdentifier.of(type.getPackageName())
                    : SliceIdentifier.ignore();
        }

        @Override
        public String getDescription() {
            return "packages";
        }
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

    @ParameterizedTest
    @ValueSource(strings = {ROOT + ".rest..", ROOT + ".skills..", ROOT + ".hubs.."})
    void siblingsKnowOnlyTheGroundFloor(String sibling) {
        var others = OURS.and(resideOutsideOfPackages(sibling, MODEL + ".."));
        noClasses()
                .that()
                .resideInAPackage(sibling)
                .should()
                .dependOnClassesThat(others.as("a sibling or mcp-server"))
                .allowEmptyShould(true)
                .check(ENGINE);
    }

    @Test
    void namesSayWhatAThingIs() {
        noClasses()
                .should()
                .haveNameMatching(".*(Impl|Manager|Helper|Utils?)")
                .orShould()
                .haveSimpleNameStartingWith("Abstract")
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

    @Test
    void everyPackageIsNullMarked() {
        assertThat(ENGINE.stream()
                        .map(JavaClass::getPackageName)
                        .distinct()
                        .filter(name -> !ENGINE.getPackage(name).isAnnotatedWith(NullMarked.class)))
                .as("packages without a package-info.java that has @NullMarked")
                .isEmpty();
    }

    @Test
    void theServerIsWhereTheRulesLookForIt() {
        assertThat(ENGINE.stream().filter(SERVER))
                .allSatisfy(type -> assertThat(
                                type.getSource().orElseThrow().getUri().toString())
                        .contains("/mcp-server/"));
    }
}
