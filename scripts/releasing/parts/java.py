"""The jars of the Java client in the layout of a Maven repository, which is also that of a bundle for Maven Central."""

import hashlib
import shutil
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from scripts.releasing.part import Part
from scripts.releasing.release import Release

AT = "clients/java"
GROUP = Path("io", "memoryd")
ASKED = (
    "name",
    "description",
    "url",
    "licenses/license/name",
    "licenses/license/url",
    "developers/developer/name",
    "scm/url",
)
"""The fields that Maven Central asks for, some of which a module has from its parent."""


def build(release: Release) -> None:
    """Build the jar, its sources and its javadoc, and lay them out with their poms and checksums."""
    time = datetime.fromtimestamp(release.epoch, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    options = ("-q", "-B", "-DskipTests", "-Prelease", f"-Dproject.build.outputTimestamp={time}")
    release.run("mvn", *options, "-pl", "client", "-am", "package", at=AT)
    place = release.folder("java") / GROUP
    java = release.source / AT
    parent, client = (f"memoryd-{name}-{release.version}" for name in ("parent", "client"))
    files = {f"memoryd-parent/{release.version}/{parent}.pom": java / "pom.xml"}
    files[f"memoryd-client/{release.version}/{client}.pom"] = java / "client" / "pom.xml"
    for kind in ("", "-sources", "-javadoc"):
        files[f"memoryd-client/{release.version}/{client}{kind}.jar"] = (
            java / "client" / "target" / f"{client}{kind}.jar"
        )
    for name, source in files.items():
        target = place / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
        for digest in ("md5", "sha1"):
            checksum = hashlib.new(digest, target.read_bytes(), usedforsecurity=False).hexdigest()
            target.with_name(f"{target.name}.{digest}").write_text(checksum, "utf-8")
    check(java)


def check(java: Path) -> None:
    """Raise ValueError if a field is missing that Maven Central asks for."""
    parent, client = (ElementTree.parse(java / name / "pom.xml").getroot() for name in (".", "client"))
    namespace = "{http://maven.apache.org/POM/4.0.0}"
    for field in ASKED:
        path = "/".join(namespace + name for name in field.split("/"))
        if not (client.findtext(path) or parent.findtext(path) or "").strip():
            raise ValueError(f"clients/java/pom.xml lacks {field}")


def commands(release: Release) -> list[str]:
    folder = f"{release.dist}/java"
    signed = r"\( -name '*.jar' -o -name '*.pom' \) -exec gpg --armor --detach-sign {} \;"
    bundle = f"../memoryd-java-{release.version}.zip"
    return [
        f"find {folder} {signed}",
        f"(cd {folder} && zip -r {bundle} io)   # upload it in Maven Central's portal, and publish it there",
    ]


PART = Part("java", build, commands, ("mvn", "javac"))
