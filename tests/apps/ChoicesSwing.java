/**
 * The combo boxes of `choices_qt.py` in Swing: `java ChoicesSwing.java`, which compiles and runs it. Lists drop down over
 * the page of a tab that the boxes stand in, within the window.
 */

import java.awt.BorderLayout;
import java.awt.Component;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.swing.BoxLayout;
import javax.swing.JButton;
import javax.swing.JComboBox;
import javax.swing.JFrame;
import javax.swing.JPanel;
import javax.swing.JTabbedPane;
import javax.swing.SwingUtilities;

public class ChoicesSwing {
    private static final int SHADES = 25;  // three times as many as show: each look asks for all of them
    private static final String[] COLOURS =
        Stream.concat(Stream.of("Red", "Green", "Blue"), IntStream.range(0, SHADES).mapToObj(number -> "Shade " + number))
            .toArray(String[]::new);
    private static final int MOST = 30;

    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(ChoicesSwing::show);
    }

    private static void show() {
        JFrame frame = new JFrame("Choices");
        frame.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        JComboBox<String> colour = new JComboBox<>(COLOURS);
        JComboBox<String> size =
            new JComboBox<>(IntStream.rangeClosed(1, MOST).mapToObj(Integer::toString).toArray(String[]::new));
        size.setSelectedItem("10");
        JPanel boxes = new JPanel();
        boxes.setLayout(new BoxLayout(boxes, BoxLayout.Y_AXIS));
        for (JComboBox<String> box : Arrays.asList(colour, size)) {
            box.setAlignmentX(Component.LEFT_ALIGNMENT);
            box.addActionListener(event -> frame.setTitle(title(colour, size)));
            boxes.add(box);
        }
        frame.setTitle(title(colour, size));
        JPanel page = new JPanel(new BorderLayout());
        page.add(boxes, BorderLayout.NORTH);
        page.add(new JButton("Below"), BorderLayout.CENTER);
        JTabbedPane book = new JTabbedPane();
        book.addTab("Page", page);
        frame.add(book);
        frame.setSize(400, 500);
        frame.setVisible(true);
    }

    @SafeVarargs
    private static String title(JComboBox<String>... boxes) {
        return "Choices " + Arrays.stream(boxes).map(box -> (String) box.getSelectedItem()).collect(Collectors.joining(" "));
    }
}
