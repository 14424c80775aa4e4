"""The parts of a release, in the order in which they are published: what another one needs comes first."""

from scripts.releasing.part import Part
from scripts.releasing.parts import chart, crate, front, go, image, java, npm, python, sbom

PARTS: dict[str, Part] = {
    part.name: part
    for part in (go.PART, front.PART, python.PART, sbom.PART, npm.PART, crate.PART, java.PART, image.PART, chart.PART)
}
