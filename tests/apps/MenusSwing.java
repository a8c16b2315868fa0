/**
 * A menu bar whose menus are drawn into the window, and what was chosen in its title: `java MenusSwing.java` compiles
 * and runs it.
 */

import javax.swing.ButtonGroup;
import javax.swing.JCheckBoxMenuItem;
import javax.swing.JFrame;
import javax.swing.JMenu;
import javax.swing.JMenuBar;
import javax.swing.JMenuItem;
import javax.swing.JRadioButtonMenuItem;
import javax.swing.SwingUtilities;

public class MenusSwing {
    private static final JFrame FRAME = new JFrame("Menus");

    public static void main(String[] arguments) {
        SwingUtilities.invokeLater(MenusSwing::show);
    }

    private static void show() {
        JMenu file = new JMenu("File");
        file.add(new JMenu("Nothing"));
        file.add(said(new JMenuItem("Open")));
        file.add(said(new JMenuItem("Save")));
        file.add(said(new JCheckBoxMenuItem("Wrap")));
        JMenu size = new JMenu("Size");
        ButtonGroup group = new ButtonGroup();
        for (String name : new String[] {"Small", "Large", "Huge"}) {
            JMenuItem item = said(new JRadioButtonMenuItem(name));
            group.add(item);
            size.add(item);
        }
        file.add(size);
        file.add(said(new JMenuItem("Quit")));
        JMenuBar bar = new JMenuBar();
        bar.add(new JMenu("First"));
        bar.add(file);
        FRAME.setJMenuBar(bar);
        FRAME.setDefaultCloseOperation(JFrame.EXIT_ON_CLOSE);
        FRAME.setBounds(150, 90, 600, 400);
        FRAME.setVisible(true);
    }

    private static JMenuItem said(JMenuItem item) {
        item.addActionListener(event -> FRAME.setTitle("Menus " + item.getText()));
        return item;
    }
}
